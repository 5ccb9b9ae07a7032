/** The page without its data. In a package it is a file that was built with it; from the sources it is made anew. */
import { readFileSync } from "node:fs"
import { CliError } from "../../../CliError.js"

/** Put in by the build; from the sources there is none. */
declare const BAILIWICK_VERSION: string | undefined

/** Relative to a folder of `dist`, be it that of the command line or that of what it shares with others. */
const BUILT = "../cli/page.html"

const SOURCES = "../../../../../scripts/page/template.ts"

const built = (): string => {
  try {
    return readFileSync(new URL(BUILT, import.meta.url), "utf8")
  } catch {
    throw new CliError("the page is missing in this installation; install bailiwick anew")
  }
}

const made = async (): Promise<string> => (await import(new URL(SOURCES, import.meta.url).href)).template()

let kept: Promise<string> | undefined

const template = (): Promise<string> => {
  kept ??= typeof BAILIWICK_VERSION === "undefined" ? made() : Promise.resolve(built())
  return kept
}

const POLICY = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/

const DATA = "@data@"

/** What a script of JSON may hold: nothing in it ends the script or begins a comment. */
const inScript = (data: unknown): string => JSON.stringify(data).replaceAll("<", "\\u003c")

export interface Filled {
  readonly html: string
  /** What the page may do, for a header. */
  readonly policy: string
}

export interface Filling {
  /** A page that is served may hear from its server, and from nobody else. */
  readonly isServed: boolean
  /** In place of the one that comes along. */
  readonly template?: string | undefined
}

export const filled = async (data: unknown, { isServed, template: given }: Filling): Promise<Filled> => {
  const whole = given ?? (await template())
  const html = isServed ? whole.replace("connect-src 'none'", "connect-src 'self'") : whole
  const at = html.indexOf(DATA)
  return {
    html: `${html.slice(0, at)}${inScript(data)}${html.slice(at + DATA.length)}`,
    policy: POLICY.exec(html)?.[1] ?? "default-src 'none'"
  }
}

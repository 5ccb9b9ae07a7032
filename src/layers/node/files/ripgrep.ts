/**
 * Asks ripgrep which files hold a literal. Its answer is only a hint where to look: every file is opened, verified
 * and matched by us, so that nothing it was tricked into reading can reach an answer.
 */
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import { Effect } from "effect"
import type { Literal } from "../../files/Literal.js"
import type { Limits } from "../disk/Limits.js"
import { withoutInherited } from "../sandbox/Inherited.js"
import { ignored } from "./walk.js"

/** A binary by its absolute path; `undefined` for none. */
export type Ripgrep = string | undefined

/** Which file each was when it was found: another one in its place is not run, as no command would be. */
const identities = new Map<string, string>()

const identityOf = (file: string): string | undefined => {
  const found = fs.statSync(file, { bigint: true, throwIfNoEntry: false })
  return found?.isFile() === true ? `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}` : undefined
}

const isStill = (file: string): boolean => {
  const identity = identityOf(file)
  const known = identities.get(file) ?? identity
  if (identity === undefined || known !== identity) return false
  identities.set(file, identity)
  return true
}

export const find = (searched: string | undefined): Ripgrep => {
  const found = foundOn(searched)
  const identity = found === undefined ? undefined : identityOf(found)
  if (found !== undefined && identity !== undefined) identities.set(found, identity)
  return found
}

const foundOn = (searched: string | undefined): Ripgrep =>
  (searched ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, "rg"))
    .find((file) => {
      try {
        fs.accessSync(file, fs.constants.X_OK)
        return fs.statSync(file).isFile()
      } catch {
        return false
      }
    })

const MAX_OUTPUT = 16 * 1024 * 1024

const argumentsOf = (
  { ignoreCase, text }: Literal,
  limits: Limits,
  skips: boolean
): ReadonlyArray<string> => [
  "--no-config",
  "--files-with-matches",
  "--null",
  "--no-follow",
  "--hidden",
  "--no-ignore",
  "--text",
  "--encoding=none",
  "--color=never",
  "--no-messages",
  `--max-filesize=${limits.searchFileBytes}`,
  `--max-depth=${limits.depth + 1}`,
  ignoreCase ? "--ignore-case" : "--case-sensitive",
  ...(skips ? [...ignored].map((name) => `--glob=!${name}/`) : []),
  "--fixed-strings",
  `--regexp=${text}`,
  "--",
  "./"
]

const started = (binary: string, given: ReadonlyArray<string>, cwd: string): ChildProcess | undefined => {
  try {
    if (!isStill(binary)) return undefined
    return withoutInherited(3, (rest) =>
      spawn(binary, given, { cwd, env: {}, stdio: ["ignore", "pipe", "ignore", ...rest] })
    )
  } catch {
    return undefined
  }
}

/** Paths below the root; `undefined` when the answer cannot be relied on to be whole. */
export const candidates = (
  binary: string,
  root: string,
  literal: Literal,
  limits: Limits,
  skips: boolean
): Effect.Effect<ReadonlyArray<string> | undefined> =>
  Effect.async((resume) => {
    const child = started(binary, argumentsOf(literal, limits, skips), root)
    if (child === undefined) return resume(Effect.succeed(undefined))
    const chunks: Array<Buffer> = []
    let size = 0
    let ended = false
    let stopped: (() => void) | undefined
    const end = (found: ReadonlyArray<string> | undefined): void => {
      if (ended) return
      ended = true
      if (stopped === undefined) resume(Effect.succeed(found))
      else stopped()
    }
    child.stdout?.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_OUTPUT) child.kill("SIGKILL")
    })
    child.on("error", () => end(undefined))
    child.on("close", (code) => {
      // 1 is no match. 2 is trouble, and then what it found may not be all.
      if (size > MAX_OUTPUT || (code !== 0 && code !== 1)) return end(undefined)
      const names = Buffer.concat(chunks).toString("utf8").split("\0")
      end(names.flatMap((name) => (name.startsWith("./") ? [name.slice(2)] : [])))
    })
    return Effect.async<void>((done) => {
      if (ended) return done(Effect.void)
      stopped = () => done(Effect.void)
      child.kill("SIGKILL")
    })
  })

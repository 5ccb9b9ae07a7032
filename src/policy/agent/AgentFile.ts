/** What the front matter of an agent says, and where; what it means is settled elsewhere. Nothing in it is fatal. */
import { Either } from "effect"
import type { GrantInvalid } from "../grant/Grant.js"
import * as Grant from "../grant/Grant.js"
import { split } from "../record/FrontMatter.js"
import { modes } from "../Sandbox.js"
import { closest } from "../text/Closest.js"
import type { At, ProblemCode } from "../text/Problem.js"
import { quote } from "../text/Quote.js"
import { splitSpecs } from "../text/Spec.js"
import { type Mapping, RECORD, readYaml, type Yaml } from "../text/StrictYaml.js"

/** Of an agent's record, beside those of any file and of grants. */
export const agentCodes = ["GRANT_DEPRECATED", "SANDBOX_CLAMPED", "ROOT_CLAMPED", "ID_MISMATCH"] as const

/** What is wrong, in one line of the file. It grants nothing. */
export interface Warning extends At {
  readonly code: ProblemCode | (typeof agentCodes)[number]
  readonly detail: string
  readonly remedy: string
}

export interface WrittenGrant {
  readonly grant: Grant.Grant
  readonly line: number
  /** Which item of the list it is, counted with those that are wrong. */
  readonly item: number
}

interface Misspelt {
  readonly name: string
  readonly item: number
  readonly line: number
}

/** Keys that are absent are `undefined`. One that is there and is not `readable` says something, and nobody knows what. */
export interface AgentFile {
  readonly id: string | undefined
  readonly class: string | undefined
  readonly title: string | undefined
  readonly capabilities: ReadonlyArray<WrittenGrant> | undefined
  /** The grants that are written and wrong, by what they seem to be called. */
  readonly misspelt: ReadonlyArray<Misspelt>
  readonly access:
    | { readonly grants: ReadonlyArray<Grant.Grant>; readonly readable: boolean; readonly line: number }
    | undefined
  readonly sandbox:
    | { readonly path: string | null; readonly readable: boolean; readonly line: number }
    | undefined
  /** The keys of authority that are written with nothing after them; `[]` is something. */
  readonly empty: ReadonlyArray<{ readonly key: AuthorityKey; readonly line: number }>
  /** The line that a further grant is written at. */
  readonly line: number
  readonly body: string
  readonly warnings: ReadonlyArray<Warning>
}

/** The keys of an agent's front matter that are authority. */
const authorityKeys = ["capabilities", "access", "sandbox"] as const

export type AuthorityKey = (typeof authorityKeys)[number]

export const isAuthorityKey = (key: string): boolean => authorityKeys.some((one) => one === key)

const shorthands: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["r", ["records.read"]],
  ["w", ["records.create", "records.update"]],
  ["rw", ["records.read", "records.create", "records.update"]],
  ["", []]
])

const bare = (name: string): Grant.Grant => ({ name, scope: {} })

class Reading {
  readonly warnings: Array<Warning> = []
  readonly misspelt: Array<Misspelt> = []

  warn({ column, line }: At, code: Warning["code"], detail: string, remedy: string): void {
    this.warnings.push({ line, column, code, detail, remedy })
  }

  private add(
    given: Either.Either<Grant.Grant, GrantInvalid>,
    at: At,
    item: number,
    named: string | undefined
  ): ReadonlyArray<WrittenGrant> {
    if (Either.isLeft(given)) {
      const { code, detail, remedy } = given.left
      this.warn(at, code, detail, remedy)
      if (named !== undefined) this.misspelt.push({ name: named, item, line: at.line })
      return []
    }
    const { alias, name } = given.right
    if (alias !== undefined) {
      this.warn(at, "GRANT_DEPRECATED", `${quote(alias)} is a deprecated alias`, `write '${name}'`)
    }
    return [{ grant: given.right, line: at.line, item }]
  }

  capabilities(value: Yaml): ReadonlyArray<WrittenGrant> {
    if (value._tag === "List") {
      return value.items.flatMap((item, i) => this.add(Grant.fromYaml(item), item.at, i, nameIn(item)))
    }
    if (value._tag === "Scalar" && typeof value.value === "string") {
      return splitSpecs(value.value).flatMap((spec, i) =>
        this.add(Grant.parse(spec), value.at, i, nameOf(spec))
      )
    }
    if (value._tag !== "Scalar" || value.value !== null) {
      this.warn(
        value.at,
        "VALUE_INVALID",
        "'capabilities' must be a list of grants",
        "write a list; [] is none"
      )
    }
    return []
  }

  access(value: Yaml): Omit<NonNullable<AgentFile["access"]>, "line"> {
    const given = value._tag === "Scalar" ? value.value : undefined
    const names =
      given === null ? [] : typeof given === "string" ? shorthands.get(given.trim().toLowerCase()) : undefined
    if (names === undefined) {
      this.warn(value.at, "VALUE_INVALID", `'access' is ${shown(given)}`, "write 'r', 'w' or 'rw'")
    }
    return { grants: (names ?? []).map(bare), readable: names !== undefined }
  }

  sandbox(value: Yaml): Omit<NonNullable<AgentFile["sandbox"]>, "line"> {
    const given = value._tag === "Scalar" ? value.value : undefined
    if (typeof given === "string" && modes.every((mode) => mode !== given)) {
      return { path: given.trim() || null, readable: true }
    }
    if (given !== null) {
      const mode = typeof given === "string" ? `a mode, ${quote(given)}, and` : undefined
      this.warn(
        value.at,
        "VALUE_INVALID",
        `'sandbox' ${mode === undefined ? "" : `is ${mode} in a record it `}must be a string path`,
        "write a directory, as in '~/project'; mode and limits stand in bailiwick.yaml or in a personality"
      )
    }
    return { path: null, readable: given === null }
  }

  text(root: Mapping, key: string): string | undefined {
    const value = root.entries.get(key)?.value
    if (value === undefined) return undefined
    if (value._tag === "Scalar" && typeof value.value === "string" && value.value.trim() !== "")
      return value.value
    this.warn(value.at, "VALUE_INVALID", `'${key}' is not a string`, "write one string")
    return undefined
  }

  /** A key that is misspelt leaves the agent with its defaults, which nobody meant. */
  slips(root: Mapping): void {
    for (const [key, { at }] of root.entries) {
      if (isAuthorityKey(key)) continue
      const meant = closest(key, authorityKeys)
      if (meant !== undefined) {
        this.warn(
          at,
          "KEY_UNKNOWN",
          `${quote(key)} is no key that grants anything`,
          `did you mean '${meant}'?`
        )
      }
    }
  }
}

const shown = (given: unknown): string =>
  given === undefined
    ? "a list or a map"
    : typeof given === "string"
      ? quote(given)
      : `the ${typeof given} ${quote(String(given))}`

/** To YAML a lone `~` is nothing, and most who write it mean their home. */
const isBlank = (value: Yaml): boolean =>
  value._tag === "Scalar" &&
  (value.value === null || (typeof value.value === "string" && value.value.trim() === ""))

const nameOf = (spec: string): string | undefined => spec.split("{", 1)[0]?.trim()

/** The name of a grant that may be wrong. */
const nameIn = (item: Yaml): string | undefined => {
  if (item._tag === "Mapping") return item.entries.keys().next().value
  return item._tag === "Scalar" && typeof item.value === "string" ? nameOf(item.value) : undefined
}

const nothing = (body: string, warnings: ReadonlyArray<Warning>): AgentFile => ({
  id: undefined,
  class: undefined,
  title: undefined,
  // As good as written and empty: what cannot be read does not fall back to what holds by default.
  capabilities: [],
  misspelt: [],
  access: undefined,
  sandbox: undefined,
  empty: [],
  line: 1,
  body,
  warnings
})

export const readAgentFile = (text: string): AgentFile => {
  const parts = split(text)
  if (Either.isLeft(parts)) return nothing(text, [parts.left])
  const { above, body, fenced, yaml } = parts.right
  const reading = new Reading()
  // Empty lines in place of what is above, so that every line that is spoken of is one of the file.
  const value = readYaml("\n".repeat(above) + yaml, RECORD)
  if (Either.isLeft(value)) {
    const { code, detail, remedy } = value.left
    reading.warn(value.left, code, detail, remedy)
    return nothing(body, reading.warnings)
  }
  const root = value.right
  if (root === undefined || root._tag !== "Mapping") {
    const detail = fenced ? "the front matter is not a map" : "there is no front matter"
    reading.warn(
      { line: 1, column: 1 },
      "VALUE_INVALID",
      detail,
      "start the file with '---', 'class: agent' and '---'"
    )
    return nothing(body, reading.warnings)
  }
  reading.slips(root)
  const entry = (key: string) => root.entries.get(key)
  const [capabilities, access, sandbox] = authorityKeys.map(entry)
  const at = capabilities?.at ?? access?.at ?? sandbox?.at ?? root.at
  return {
    id: reading.text(root, "id"),
    class: reading.text(root, "class"),
    title: reading.text(root, "title"),
    capabilities: capabilities && reading.capabilities(capabilities.value),
    access: access && { ...reading.access(access.value), line: access.at.line },
    sandbox: sandbox && { ...reading.sandbox(sandbox.value), line: sandbox.at.line },
    line: at.line,
    empty: authorityKeys.flatMap((key) => {
      const written = entry(key)
      return written !== undefined && isBlank(written.value) ? [{ key, line: written.at.line }] : []
    }),
    misspelt: reading.misspelt,
    body,
    warnings: reading.warnings
  }
}

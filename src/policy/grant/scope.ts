/** From what is written of a grant to the grant: its name and keys are those of the catalog, its values as they must be. */
import { Either } from "effect"
import * as Command from "../lattice/dimensions/Command.js"
import { agentId, recordPath } from "../lattice/dimensions/Id.js"
import { attachmentKind, recordClass, storageScope } from "../lattice/dimensions/Name.js"
import { ref } from "../lattice/dimensions/Ref.js"
import type * as Glob from "../lattice/Glob.js"
import * as Host from "../lattice/Host.js"
import type { ScopeInvalid } from "../lattice/ScopeInvalid.js"
import { closest } from "../text/Closest.js"
import type { grantCodes } from "../text/Problem.js"
import { hasControl, quote, shown } from "../text/Quote.js"
import type { Value } from "../text/Spec.js"
import * as Catalog from "./Catalog.js"

export interface Wrong {
  readonly code: (typeof grantCodes)[number]
  readonly detail: string
  readonly remedy: string
}

export type Scope = {
  readonly [K in Catalog.Key]?: (typeof Catalog.keys)[K] extends "strings"
    ? ReadonlyArray<string>
    : (typeof Catalog.keys)[K] extends "flag"
      ? "true"
      : string
}

export interface Written {
  readonly name: string
  readonly scope: Scope
  /** The name that was written, where it is an old one. */
  readonly alias?: string
}

/** A grant, or what is wrong with it. */
export type GrantReading<A> = Either.Either<A, Wrong>

export const wrong = (code: Wrong["code"], detail: string, remedy: string): GrantReading<never> =>
  Either.left({ code, detail, remedy })

/** The sentence of a pattern carries its remedy after a semicolon. */
export const invalid =
  (code: Wrong["code"]) =>
  ({ detail }: ScopeInvalid): Wrong => {
    const at = detail.lastIndexOf("; ")
    return {
      code,
      detail: at < 0 ? detail : detail.slice(0, at),
      remedy: at < 0 ? "write another value" : detail.slice(at + 2)
    }
  }

const names = Catalog.catalog.map(({ name }) => name)

const listed = (all: ReadonlyArray<string>): string => all.map((one) => `'${one}'`).join(", ")

const entryOf = (name: string): GrantReading<Catalog.Entry> => {
  const dot = name.indexOf(".")
  if (dot <= 0 || dot === name.length - 1) {
    return wrong(
      "GRANT_MALFORMED",
      `${quote(name)} is malformed, expected resource.verb`,
      "write it as in 'records.read'"
    )
  }
  const entry = Catalog.find(Catalog.aliases.get(name) ?? name)
  if (entry !== undefined) return Either.right(entry)
  const meant = closest(name, names)
  return wrong(
    "CAPABILITY_UNKNOWN",
    `unknown capability ${quote(name)}`,
    meant === undefined ? `the capabilities are ${listed(names)}` : `did you mean '${meant}'?`
  )
}

const keyOf = (entry: Catalog.Entry, key: string): GrantReading<Catalog.Key> => {
  const known = entry.keys.find((one) => one === key)
  if (known !== undefined) return Either.right(known)
  const meant = closest(key, entry.keys)
  return wrong(
    "SCOPE_KEY_UNKNOWN",
    `unknown scope key ${quote(key)} on '${entry.name}'`,
    meant !== undefined
      ? `did you mean '${meant}'?`
      : entry.keys.length === 0
        ? `write '${entry.name}' alone: it takes no scope`
        : `the keys are ${listed(entry.keys)}`
  )
}

/** `*.x` covers `x` too, and a whole public suffix may be granted: wide grants are allowed, they have to be written. */
export const hostPatterns = (text: string): Either.Either<ReadonlyArray<Host.HostPattern>, ScopeInvalid> =>
  text === "*"
    ? Either.right([{ _tag: "Any" }])
    : Either.map(Host.parseException(text), (pattern) =>
        pattern._tag === "Below" ? [pattern, { _tag: "Exact", host: pattern.suffix }] : [pattern]
      )

/** Every secret may be granted, too, where that is written. */
export const refPattern = (text: string): Either.Either<Glob.Glob, ScopeInvalid> =>
  text === "*" ? Either.right(ref.top) : ref.parse(text)

const rooted = (text: string): GrantReading<string> => {
  if (text.split("/").includes("..")) {
    return wrong("PATH_INVALID", `${quote(text)} contains '..'`, "write the path that it stands for")
  }
  return /^(\/|~\/|~$)/.test(text)
    ? Either.right(text)
    : wrong("PATH_INVALID", `${quote(text)} is not an absolute path`, "start it with '/' or '~/'")
}

const STARTS = ["/", "~/"]

/** What a path stands for without its `..`, which must stay below `in`: what `**` stands for has no known end. */
const relative = (text: string): GrantReading<string> => {
  if (!text.split("/").includes("..")) return Either.right(text)
  const start = STARTS.find((one) => text.startsWith(one)) ?? ""
  const kept: Array<string> = []
  for (const part of text.slice(start.length).split("/")) {
    if (part !== "..") {
      if (part !== "" && part !== ".") kept.push(part)
      continue
    }
    const before = kept.pop()
    if (before === undefined || before.includes("**")) {
      return wrong(
        "PATH_INVALID",
        `the path ${quote(text)} contains '..' and leaves its root`,
        "write a path below 'in'"
      )
    }
  }
  const end = text.endsWith("/") ? "/" : ""
  if (kept.length > 0) return Either.right(start + kept.join("/") + end)
  return Either.right(end === "/" ? start || "./" : `${start}.`)
}

const parsed =
  (parse: (text: string) => Either.Either<unknown, ScopeInvalid>) =>
  (text: string): GrantReading<string> =>
    Either.mapBoth(parse(text), { onLeft: invalid("SCOPE_VALUE_INVALID"), onRight: () => text })

const checks: { readonly [K in Catalog.Key]: (text: string, entry: Catalog.Entry) => GrantReading<string> } =
  {
    in: rooted,
    id: parsed(agentId.parse),
    ids: parsed(agentId.parse),
    classes: parsed(recordClass.parse),
    paths: (text, { needsRoot }) => (needsRoot ? relative(text) : parsed(recordPath.parse)(text)),
    hosts: parsed(hostPatterns),
    cmds: parsed(Command.parseName),
    patterns: parsed(Command.argv.parse),
    refs: parsed(refPattern),
    sealed: Either.right,
    scopes: parsed(storageScope.parse),
    kinds: parsed(attachmentKind.parse)
  }

/** What stands where a ref belongs may be the secret itself, and is not repeated. */
const mayBeSecret = (key: string): boolean => key === "refs"

const kindOf = (key: string, given: unknown): string =>
  Array.isArray(given)
    ? "a list"
    : given === null
      ? "nothing"
      : typeof given === "object"
        ? "a map"
        : mayBeSecret(key)
          ? `a ${typeof given}`
          : `the ${typeof given} ${quote(String(given))}`

const oneText = (key: string, given: unknown): GrantReading<string> =>
  typeof given === "string" && given.trim() !== "" && !hasControl(given)
    ? Either.right(given)
    : wrong(
        "SCOPE_VALUE_INVALID",
        typeof given === "string"
          ? `'${key}' holds a blank value or a control character`
          : `'${key}' is ${kindOf(key, given)}, expected a string`,
        given === null
          ? `write ${key} with a value; a lone ~ is written "~"`
          : `write one string after '${key}'`
      )

const elementOf = (entry: Catalog.Entry, key: Catalog.Key, given: unknown): GrantReading<string> =>
  typeof given === "string"
    ? Either.flatMap(oneText(key, given), (text) => checks[key](text, entry))
    : wrong(
        "SCOPE_VALUE_INVALID",
        `an entry of '${key}' is ${kindOf(key, given)}, expected a list of strings`,
        "quote it, or delete it"
      )

/** Nothing, where it is not so: then it need not be written. */
const flagOf = (key: Catalog.Key, given: unknown): GrantReading<"true" | undefined> => {
  if (given === true || given === "true") return Either.right("true")
  if (given === false || given === "false") return Either.right(undefined)
  return wrong(
    "SCOPE_VALUE_INVALID",
    `'${key}' is ${kindOf(key, given)}, expected true or false`,
    `write '${key}=true', or leave it out`
  )
}

const valueOf = (entry: Catalog.Entry, key: Catalog.Key, given: unknown): GrantReading<Value | undefined> => {
  if (Catalog.keys[key] === "flag") return flagOf(key, given)
  if (Catalog.keys[key] === "string") {
    return Either.flatMap(oneText(key, given), (text) => checks[key](text, entry))
  }
  if (!Array.isArray(given)) {
    return wrong(
      "SCOPE_VALUE_INVALID",
      `'${key}' is ${kindOf(key, given)}, expected a list of strings`,
      typeof given !== "string"
        ? "write a list; [] is none"
        : mayBeSecret(key)
          ? "write it in brackets"
          : `write it in brackets: [${shown(given)}]`
    )
  }
  return Either.map(Either.all(given.map((one) => elementOf(entry, key, one))), (all) => [...new Set(all)])
}

/** The keys in the order of the table, so that equal grants are written alike; of a key that is written twice the last. */
export const checked = (
  name: string,
  given: ReadonlyArray<readonly [key: string, value: unknown]>
): GrantReading<Written> => {
  const entry = entryOf(name)
  if (Either.isLeft(entry)) return Either.left(entry.left)
  const values = new Map<Catalog.Key, Value>()
  for (const [written, value] of given) {
    const key = keyOf(entry.right, written)
    if (Either.isLeft(key)) return Either.left(key.left)
    const read = valueOf(entry.right, key.right, value)
    if (Either.isLeft(read)) return Either.left(read.left)
    if (read.right === undefined) values.delete(key.right)
    else values.set(key.right, read.right)
  }
  return Either.right({
    name: entry.right.name,
    scope: ordered(values),
    ...(entry.right.name === name ? {} : { alias: name })
  })
}

const order = Object.keys(Catalog.keys) as ReadonlyArray<Catalog.Key>

/** Each value was checked against what its key takes. */
const ordered = (values: ReadonlyMap<Catalog.Key, Value>): Scope => {
  const scope: { [K in Catalog.Key]?: Value } = {}
  if (values.size === 0) return scope as Scope
  for (const key of order) {
    const value = values.get(key)
    if (value !== undefined) scope[key] = value
  }
  return scope as Scope
}

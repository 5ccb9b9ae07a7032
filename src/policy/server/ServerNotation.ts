/**
 * `mcp_servers:` of a workspace: servers by name, how each is reached, and what it requires. A mistake in one is kept
 * beside it, so that the others go on; what cannot be read whole is offered to nobody.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Grant from "../grant/Grant.js"
import { isServerName, looksLike } from "../ToolOrigin.js"
import { type Problem, type Reading, sentence } from "../text/Problem.js"
import { quote } from "../text/Quote.js"
import { type Mapping, problem, type Yaml } from "../text/StrictYaml.js"
import * as Shape from "../text/YamlShape.js"
import * as Inquiry from "./Inquiry.js"
import type { Places } from "./places.js"
import { authorityOf, authorityOfSpecs, type Required, requiredBy, requirementsIn } from "./requirements.js"
import type { Server } from "./Server.js"
import { transportIn, keys as transportKeys } from "./transport.js"

export type { Places } from "./places.js"
export type { Required } from "./requirements.js"

/**
 * A server as it is written, with what is wrong with it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  readonly name: string
  /** Where it is named. */
  readonly line: number
  /** What it requires, entry by entry. */
  readonly requires: ReadonlyArray<Required>
  /** Why it cannot be used as it is written, beside what is wrong with its `requires`. */
  readonly problems: ReadonlyArray<Problem>
  /** There only if nothing is wrong with it: whoever has one may offer it. */
  readonly server: Server | undefined
}

const keys: ReadonlyArray<string> = [...transportKeys, "allows", "requires"]

interface Named {
  readonly name: string
  readonly line: number
  readonly value: Yaml
  readonly known: ReadonlyArray<string>
}

const nothingRequired = (value: Mapping, what: string): Problem => ({
  code: "KEY_MISSING",
  ...value.at,
  detail: `${what} has no 'requires', so that it is offered to nobody`,
  remedy: "write the grants that it needs, or [] if it needs none"
})

const wrongName = ({ line, name }: Named): Problem => ({
  code: "NAME_INVALID",
  line,
  column: 1,
  detail: `${quote(name)} is not the name of an MCP server`,
  remedy: "write 1 to 64 letters, digits, '-' and single '_', none at the end"
})

const allowsIn = (value: Yaml, what: string): Reading<ReadonlyArray<Inquiry.Kind>> =>
  Either.flatMap(Shape.texts(value, what), (all) =>
    Either.map(
      Either.all(
        all.map((given) => {
          const kind = Inquiry.parse(given.text)
          if (kind !== undefined) return Either.right(kind)
          const { detail, remedy } = Inquiry.unknown(given.text)
          return problem("VALUE_INVALID", given, detail, remedy)
        })
      ),
      Inquiry.sorted
    )
  )

const entryOf =
  (places: Places) =>
  (named: Named): Entry => {
    const { known, line, name, value } = named
    const what = `the server ${quote(name)}`
    const map = Shape.mapping(value, what, known)
    const transport = Either.flatMap(map, (given) => transportIn(given, what, places))
    const allows = Either.flatMap(map, (given) => Shape.optional(given, "allows", allowsIn))
    const listed = value._tag === "Mapping" ? value.entries.get("requires")?.value : undefined
    const requires = listed === undefined ? [] : requirementsIn(listed, places)
    const authority = listed === undefined ? undefined : authorityOf(requires, places)
    const problems = [
      ...(isServerName(name) ? [] : [wrongName(named)]),
      ...(Either.isLeft(transport) ? [transport.left] : []),
      // What is wrong with the mapping itself is said once.
      ...(Either.isRight(map) && Either.isLeft(allows) ? [allows.left] : []),
      ...(listed === undefined && value._tag === "Mapping" ? [nothingRequired(value, what)] : [])
    ]
    const isWhole =
      problems.length === 0 && authority !== undefined && Either.isRight(transport) && Either.isRight(allows)
    return {
      name,
      line,
      requires,
      problems,
      server: isWhole
        ? {
            name,
            requires: authority,
            specs: requires.flatMap(({ written }) => written ?? []),
            transport: transport.right,
            ...(allows.right === undefined || allows.right.length === 0 ? {} : { allows: allows.right })
          }
        : undefined
    }
  }

const nameIn = (value: Yaml, at: number): string => {
  const name = value._tag === "Mapping" ? value.entries.get("name")?.value : undefined
  return name?._tag === "Scalar" && typeof name.value === "string" ? name.value : String(at + 1)
}

const twice = ({ line, name }: Entry, first: Entry): Problem => ({
  code: "KEY_DUPLICATE",
  line,
  column: 1,
  detail:
    name === first.name
      ? `two servers are named ${quote(name)}, first in line ${first.line}`
      : `${quote(name)} looks like ${quote(first.name)} in line ${first.line}, and so would the names of their tools`,
  remedy: "give one of them another name"
})

/** A name that two have, or that looks like another, is neither's: nobody could say which of them was meant. */
const distinct = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const byName = new Map<string, Array<Entry>>()
  for (const entry of entries) {
    const looks = looksLike(entry.name)
    byName.set(looks, [...(byName.get(looks) ?? []), entry])
  }
  return entries.map((entry) => {
    const [first = entry, second] = byName.get(looksLike(entry.name)) ?? []
    if (second === undefined) return entry
    const problems = first === entry ? entry.problems : [...entry.problems, twice(entry, first)]
    return { ...entry, problems, server: undefined }
  })
}

/**
 * Reads the value of `mcp_servers`: a mapping by name, or a list in which each server has its name inside.
 *
 * @since 0.1.0
 * @category parsing
 */
export const read =
  (places: Places) =>
  (value: Yaml, what: string): Reading<ReadonlyArray<Entry>> => {
    switch (value._tag) {
      case "Mapping":
        return Either.right(
          distinct(
            Array.from(value.entries, ([name, { at, value: server }]) =>
              entryOf(places)({ name, line: at.line, value: server, known: keys })
            )
          )
        )
      case "List":
        return Either.right(
          distinct(
            value.items.map((server, at) =>
              entryOf(places)({
                name: nameIn(server, at),
                line: server.at.line,
                value: server,
                known: ["name", ...keys]
              })
            )
          )
        )
      case "Scalar":
        return problem(
          "VALUE_INVALID",
          value.at,
          `${what} is neither a list nor a mapping`,
          "write one, or delete the key"
        )
    }
  }

/**
 * Why a server can be used by nobody, in one sentence with its place in the file. Nothing where it can be used.
 *
 * @since 0.1.0
 * @category rendering
 */
export const whyUnusable = ({ problems, requires, server }: Entry, file: string): string | undefined => {
  if (server !== undefined) return undefined
  const [problem] = problems
  if (problem !== undefined) return sentence(file, problem)
  const wrong = requires.find(({ grant }) => Either.isLeft(grant))
  return wrong !== undefined && Either.isLeft(wrong.grant)
    ? sentence(file, { ...wrong.grant.left, line: wrong.line, column: wrong.column })
    : "what it requires gives nothing, so that nobody can hold it; 'bailiwick doctor' says more"
}

/**
 * The secrets that a server is given, by their refs.
 *
 * @since 0.1.0
 * @category rendering
 */
export const refsOf = ({ transport }: Pick<Server, "transport">): ReadonlyArray<string> =>
  transport._tag === "Local" ? transport.env : transport.headers.map(({ ref }) => ref)

const secretsFor = (refs: ReadonlyArray<string>): Grant.Grant => ({
  name: "secrets.read",
  scope: { refs: [...new Set(refs)] }
})

/**
 * All that a server requires, as it is written: its grants, and one for the secrets that it is given.
 *
 * @since 0.1.0
 * @category rendering
 */
export const specsOf = (server: Pick<Server, "specs" | "transport">): ReadonlyArray<string> => {
  const refs = refsOf(server)
  return refs.length === 0 ? server.specs : [...server.specs, Grant.print(secretsFor(refs))]
}

/**
 * The same as grants, whose directories are whole paths. Nothing where the server cannot be used.
 *
 * @since 0.1.0
 * @category rendering
 */
export const grantsOf = ({ requires, server }: Entry): ReadonlyArray<Grant.Grant> | undefined => {
  if (server === undefined) return undefined
  const refs = refsOf(server)
  return [
    ...requires.flatMap(({ grant }) => (Either.isRight(grant) ? [grant.right] : [])),
    ...(refs.length === 0 ? [] : [secretsFor(refs)])
  ]
}

/**
 * What specs require that were written down elsewhere, as in a lock. Nothing where one of them cannot be read.
 *
 * @since 0.1.0
 * @category parsing
 */
export const requiring = authorityOfSpecs

/**
 * One grant that is required, as it is written on a command line. Its directory may start at the workspace.
 *
 * @since 0.1.0
 * @category parsing
 */
export const requirement = requiredBy

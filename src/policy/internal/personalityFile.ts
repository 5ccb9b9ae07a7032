/** The keys of a personality's files, read strictly. What they mean is worked out elsewhere. */
import { Either } from "effect"
import type { At, Problem } from "./problem.js"
import { type Mapping, problem, readYaml, type Yaml } from "./strictYaml.js"
import { quote } from "./text.js"
import * as Shape from "./yamlShape.js"

type Read<A> = Either.Either<A, Problem>

type Texts = ReadonlyArray<Shape.Text>

export interface PersonalityFile {
  readonly id: string
  readonly description: string | undefined
  readonly toolset: { readonly names: ReadonlyArray<string>; readonly at: At } | undefined
  readonly read: Texts
  readonly write: Texts
  readonly network: { readonly allow: Texts; readonly deny: Texts; readonly private: Texts }
  readonly process: Texts | undefined
  readonly secrets: Texts | undefined
  readonly storage: Texts | undefined
  readonly attachments: Texts | undefined
  readonly sandbox: Sandbox | undefined
}

const sandboxes = ["off", "preferred", "required"] as const

export type Sandbox = (typeof sandboxes)[number]

const keys = [
  "id",
  "description",
  "toolset",
  "fs_reach",
  "safety",
  "process",
  "secrets",
  "storage",
  "attachments",
  "sandbox",
  "grants"
]

const START: At = { line: 1, column: 1 }

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** It names a directory and a namespace, so it is one plain word. */
const identifier = (root: Mapping): Read<string> => {
  const entry = root.entries.get("id")
  if (entry === undefined) {
    return problem(
      "KEY_MISSING",
      START,
      "a personality has an 'id', and this has none",
      "add a line 'id: name'"
    )
  }
  return Either.flatMap(Shape.text(entry.value, "'id'"), (given) =>
    ID.test(given.text)
      ? Either.right(given.text)
      : problem(
          "VALUE_INVALID",
          given,
          `the id ${quote(given.text)} is not one plain word`,
          "write 1 to 64 letters, digits, '.', '_' or '-'"
        )
  )
}

const TOOL = /^[A-Za-z0-9_-]{1,64}$/

/** A name that no tool can have would be dead, and whoever wrote it believes otherwise. */
const toolNames = (value: Yaml, what: string): Read<NonNullable<PersonalityFile["toolset"]>> =>
  Either.gen(function* () {
    const names = yield* Shape.texts(value, what)
    const odd = names.find(({ text }) => !TOOL.test(text))
    if (odd !== undefined) {
      return yield* problem(
        "NAME_INVALID",
        odd,
        `${quote(odd.text)} is not the name of a tool`,
        odd.text === "*"
          ? "leave 'toolset' out for all tools"
          : "write the name alone, as 'bailiwick tools list' shows it"
      )
    }
    return { names: names.map(({ text }) => text), at: value.at }
  })

/** A list, or a lone `*`, as declarations write it. */
const kinds = (value: Yaml, what: string): Read<Texts> =>
  value._tag === "Scalar" && value.value === "*"
    ? Either.right([{ ...value.at, text: "*" }])
    : Shape.texts(value, what)

/** The list inside a mapping of one key: `process: { allow }`. A mapping without it is an empty list. */
const section =
  (key: string, list: typeof kinds = Shape.texts) =>
  (value: Yaml, what: string): Read<Texts> =>
    Either.flatMap(Shape.mapping(value, what, [key]), (inner) =>
      Either.map(Shape.optional(inner, key, list, `${what.slice(1, -1)}.${key}`), (found) => found ?? [])
    )

const reach = (value: Yaml, what: string): Read<Pick<PersonalityFile, "read" | "write">> =>
  Either.gen(function* () {
    const inner = yield* Shape.mapping(value, what, ["read", "write"])
    return {
      read: (yield* Shape.optional(inner, "read", Shape.texts, "fs_reach.read")) ?? [],
      write: (yield* Shape.optional(inner, "write", Shape.texts, "fs_reach.write")) ?? []
    }
  })

const networkKeys = ["allow", "deny", "private"] as const

const closed: PersonalityFile["network"] = { allow: [], deny: [], private: [] }

const network = (value: Yaml, what: string): Read<PersonalityFile["network"]> =>
  Either.gen(function* () {
    const inner = yield* Shape.mapping(value, what, networkKeys)
    const lists = { ...closed }
    for (const key of networkKeys) {
      lists[key] = (yield* Shape.optional(inner, key, Shape.texts, `safety.network.${key}`)) ?? []
    }
    return lists
  })

const safety = (value: Yaml, what: string): Read<PersonalityFile["network"]> =>
  Either.flatMap(Shape.mapping(value, what, ["network"]), (inner) =>
    Either.map(Shape.optional(inner, "network", network, "safety.network"), (found) => found ?? closed)
  )

/** Read far enough to tell a slip from a grant, and refused: a grant that is not honoured must not look honoured. */
const grants = (value: Yaml, what: string): Read<void> => {
  if (value._tag !== "List") return Either.map(Shape.texts(value, what), () => undefined)
  const [first] = value.items
  if (first === undefined) return Either.void
  const odd = value.items.find(
    (item) => item._tag === "List" || (item._tag === "Scalar" && typeof item.value !== "string")
  )
  return odd === undefined
    ? problem(
        "NOT_SUPPORTED",
        first.at,
        "grants in a personality are not supported yet",
        "delete 'grants' or write []"
      )
    : problem(
        "VALUE_INVALID",
        odd.at,
        "a grant is a string or a mapping of one key",
        "write it as 'records.read'"
      )
}

export const readConfig = (text: string): Read<PersonalityFile> =>
  Either.gen(function* () {
    const value = yield* readYaml(text)
    const root = yield* Shape.mapping(
      value ?? { _tag: "Mapping", entries: new Map(), at: START },
      "a personality",
      keys
    )
    yield* Shape.optional(root, "grants", grants)
    return {
      id: yield* identifier(root),
      description: (yield* Shape.optional(root, "description", Shape.text))?.text,
      toolset: yield* Shape.optional(root, "toolset", toolNames),
      ...((yield* Shape.optional(root, "fs_reach", reach)) ?? { read: [], write: [] }),
      network: (yield* Shape.optional(root, "safety", safety)) ?? closed,
      process: yield* Shape.optional(root, "process", section("allow")),
      secrets: yield* Shape.optional(root, "secrets", section("allow")),
      storage: yield* Shape.optional(root, "storage", section("scopes")),
      attachments: yield* Shape.optional(root, "attachments", section("kinds", kinds)),
      sandbox: yield* Shape.optional(root, "sandbox", (given, what) => Shape.oneOf(given, what, sandboxes))
    }
  })

/** A list, or a mapping whose only key is `toolset`. A file that holds nothing allows nothing. */
export const readToolset = (text: string): Read<ReadonlyArray<string>> =>
  Either.gen(function* () {
    const value = yield* readYaml(text)
    if (value === undefined) return []
    if (value._tag !== "Mapping") return (yield* toolNames(value, "the toolset")).names
    const root = yield* Shape.mapping(value, "a toolset", ["toolset"])
    return (yield* Shape.optional(root, "toolset", toolNames))?.names ?? []
  })

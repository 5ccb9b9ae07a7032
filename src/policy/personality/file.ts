/** The keys of a personality's files, read strictly. What they mean is worked out elsewhere. */
import { Either } from "effect"
import * as Grant from "../grant/Grant.js"
import type * as Sandbox from "../Sandbox.js"
import type { At, Reading } from "../text/Problem.js"
import { quote } from "../text/Quote.js"
import { problem, readYaml, type Yaml } from "../text/StrictYaml.js"
import * as Shape from "../text/YamlShape.js"
import { identifier, type Names, pluginNames, serverNames, toolNames } from "./names.js"
import * as SandboxKey from "./SandboxKey.js"

/** A grant of a personality: of records, agents and provider's tools, in the grammar of agent records. */
export interface Granted {
  readonly line: number
  readonly written: string
  readonly compiled: Grant.Compiled
}

/** Where a personality has words of its own for what is granted; one place for one thing. */
const elsewhere = (name: string): string | undefined => {
  if (/^(?:records|agent|provider)\./.test(name)) return undefined
  if (name.startsWith("net.")) return "write the hosts in 'safety.network.allow'"
  if (name === "fs.read") return "write the directories in 'fs_reach.read'"
  if (name.startsWith("fs.")) return "write the directories in 'fs_reach.write'"
  if (name.startsWith("secrets.")) return "write the refs in 'secrets.allow'"
  if (name.startsWith("storage.")) return "write the scopes in 'storage.scopes'"
  if (name.startsWith("attachments.")) return "write the kinds in 'attachments.kinds'"
  return "write the commands in 'process.allow'"
}

const grant = (item: Yaml): Reading<Granted> => {
  const read = Either.flatMap(Grant.fromYaml(item), (given) =>
    Either.map(Grant.compile(given, {}), (compiled) => ({ given, compiled }))
  )
  if (Either.isLeft(read)) {
    const { code, detail, remedy } = read.left
    return problem(code, item.at, detail, remedy)
  }
  const { compiled, given } = read.right
  const remedy = elsewhere(given.name)
  return remedy === undefined
    ? Either.right({ line: item.at.line, written: Grant.print(given), compiled })
    : problem("GRANT_MISPLACED", item.at, `${quote(given.name)} is not granted in a personality`, remedy)
}

const grants = (value: Yaml, what: string): Reading<ReadonlyArray<Granted>> =>
  value._tag === "List" ? Either.all(value.items.map(grant)) : Either.map(Shape.texts(value, what), () => [])

type Texts = ReadonlyArray<Shape.Text>

/** Which secrets, and whether they are only sent sealed. Without a list, those that tools declare. */
export interface SecretsSection {
  readonly allow: Texts | undefined
  /** Where that is written, if it is so. */
  readonly sealed: At | undefined
}

export interface PersonalityFile {
  readonly id: string
  readonly description: string | undefined
  readonly toolset: Names | undefined
  readonly plugins: Names | undefined
  readonly servers: Names | undefined
  readonly read: Texts
  readonly write: Texts
  readonly network: { readonly allow: Texts; readonly deny: Texts; readonly private: Texts }
  readonly process: Texts | undefined
  readonly secrets: SecretsSection | undefined
  readonly storage: Texts | undefined
  readonly attachments: Texts | undefined
  readonly grants: ReadonlyArray<Granted>
  readonly sandbox: Sandbox.Settings | undefined
}

const keys = [
  "id",
  "description",
  "toolset",
  "plugins",
  "mcp_servers",
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

/** A list, or a lone `*`, as declarations write it. */
const kinds = (value: Yaml, what: string): Reading<Texts> =>
  value._tag === "Scalar" && value.value === "*"
    ? Either.right([{ ...value.at, text: "*" }])
    : Shape.texts(value, what)

/** The list inside a mapping of one key: `process: { allow }`. A mapping without it is an empty list. */
const section =
  (key: string, list: typeof kinds = Shape.texts) =>
  (value: Yaml, what: string): Reading<Texts> =>
    Either.flatMap(Shape.mapping(value, what, [key]), (inner) =>
      Either.map(Shape.optional(inner, key, list, `${what.slice(1, -1)}.${key}`), (found) => found ?? [])
    )

const secrets = (value: Yaml, what: string): Reading<SecretsSection> =>
  Either.gen(function* () {
    const inner = yield* Shape.mapping(value, what, ["allow", "sealed"])
    const allow = yield* Shape.optional(inner, "allow", Shape.texts, "secrets.allow")
    const sealed = yield* Shape.optional(inner, "sealed", Shape.flag, "secrets.sealed")
    // A mapping without a list is an empty one, unless it speaks of those that tools declare.
    return {
      allow: sealed === undefined ? (allow ?? []) : allow,
      sealed: sealed?.is === true ? sealed.at : undefined
    }
  })

const reach = (value: Yaml, what: string): Reading<Pick<PersonalityFile, "read" | "write">> =>
  Either.gen(function* () {
    const inner = yield* Shape.mapping(value, what, ["read", "write"])
    return {
      read: (yield* Shape.optional(inner, "read", Shape.texts, "fs_reach.read")) ?? [],
      write: (yield* Shape.optional(inner, "write", Shape.texts, "fs_reach.write")) ?? []
    }
  })

const networkKeys = ["allow", "deny", "private"] as const

const closed: PersonalityFile["network"] = { allow: [], deny: [], private: [] }

const network = (value: Yaml, what: string): Reading<PersonalityFile["network"]> =>
  Either.gen(function* () {
    const inner = yield* Shape.mapping(value, what, networkKeys)
    const lists = { ...closed }
    for (const key of networkKeys) {
      lists[key] = (yield* Shape.optional(inner, key, Shape.texts, `safety.network.${key}`)) ?? []
    }
    return lists
  })

const safety = (value: Yaml, what: string): Reading<PersonalityFile["network"]> =>
  Either.flatMap(Shape.mapping(value, what, ["network"]), (inner) =>
    Either.map(Shape.optional(inner, "network", network, "safety.network"), (found) => found ?? closed)
  )

export const readConfig = (text: string): Reading<PersonalityFile> =>
  Either.gen(function* () {
    const value = yield* readYaml(text)
    const root = yield* Shape.mapping(
      value ?? { _tag: "Mapping", entries: new Map(), at: START },
      "a personality",
      keys
    )
    return {
      id: yield* identifier(root),
      description: (yield* Shape.optional(root, "description", Shape.text))?.text,
      toolset: yield* Shape.optional(root, "toolset", toolNames),
      plugins: yield* Shape.optional(root, "plugins", pluginNames),
      servers: yield* Shape.optional(root, "mcp_servers", serverNames),
      ...((yield* Shape.optional(root, "fs_reach", reach)) ?? { read: [], write: [] }),
      network: (yield* Shape.optional(root, "safety", safety)) ?? closed,
      process: yield* Shape.optional(root, "process", section("allow")),
      secrets: yield* Shape.optional(root, "secrets", secrets),
      storage: yield* Shape.optional(root, "storage", section("scopes")),
      attachments: yield* Shape.optional(root, "attachments", section("kinds", kinds)),
      grants: (yield* Shape.optional(root, "grants", grants)) ?? [],
      sandbox: yield* Shape.optional(root, "sandbox", SandboxKey.settings)
    }
  })

/** A list, or a mapping whose only key is `toolset`. A file that holds nothing allows nothing. */
export const readToolset = (text: string): Reading<ReadonlyArray<string>> =>
  Either.gen(function* () {
    const value = yield* readYaml(text)
    if (value === undefined) return []
    if (value._tag !== "Mapping") return (yield* toolNames(value, "the toolset")).names
    const root = yield* Shape.mapping(value, "a toolset", ["toolset"])
    return (yield* Shape.optional(root, "toolset", toolNames))?.names ?? []
  })

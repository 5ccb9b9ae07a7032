/**
 * What an agent must hold for a tool that a skill lists. The names are those that skills are written with, and those of
 * the built-in tools. An edit asks for writing alone: a skill that reads what it edits lists `Read`.
 */
import { Either } from "effect"
import * as Catalog from "../grant/Catalog.js"
import * as Grant from "../grant/Grant.js"
import { isWild } from "../lattice/Wildcard.js"
import { quote } from "../text/Quote.js"
import type { Malformed, ToolReading } from "./tokens.js"

/**
 * `all` of what the grant says must be held; of `some`, whatever there is of it: who lists `Read` without a path reads
 * what the agent may read.
 */
export interface Requirement {
  readonly grant: Grant.Grant
  readonly extent: "all" | "some"
}

type Tool = (scope: string | undefined) => ToolReading<ReadonlyArray<Requirement>>

const ANYWHERE = "/"

/** A grant is good when it means something somewhere: patterns are read no earlier than that. */
const meaningful = (grant: Grant.Grant): Either.Either<Grant.Grant, Grant.GrantInvalid> => {
  const rooted =
    Catalog.find(grant.name)?.needsRoot === true && grant.scope.in === undefined
      ? { ...grant, scope: { in: ANYWHERE, ...grant.scope } }
      : grant
  return Either.map(Grant.compile(rooted, { home: ANYWHERE }), () => grant)
}

const all = (name: string, scope: Grant.Scope): ToolReading<ReadonlyArray<Requirement>> =>
  Either.mapBoth(Either.flatMap(Grant.make(name, scope), meaningful), {
    onLeft: ({ detail, remedy }): Malformed => ({ detail, remedy }),
    onRight: (grant): ReadonlyArray<Requirement> => [{ grant, extent: "all" }]
  })

const some = (name: string): ToolReading<ReadonlyArray<Requirement>> =>
  Either.right([{ grant: { name, scope: {} }, extent: "some" }])

const firstOf = <A>(one: ToolReading<A>, other: () => ToolReading<A>): ToolReading<A> =>
  Either.isRight(one) ? one : other()

/** From the first wildcard on, a path is a pattern below what stands before it. */
const placed = (path: string): Grant.Scope => {
  if (!/^(?:\/|~(?:\/|$))/.test(path)) return { paths: [path] }
  const segments = path.split("/")
  if (segments.length === 1 || (path.endsWith("/") && !isWild(path))) return { in: path }
  const wild = segments.findIndex(isWild)
  const at = wild < 0 ? segments.length - 1 : wild
  return { in: segments.slice(0, at).join("/") || "/", paths: [segments.slice(at).join("/")] }
}

const files =
  (name: string): Tool =>
  (path) =>
    path === undefined ? some(name) : all(name, placed(path))

const SHELL = /[|;&<>`\n]|\$\(/

const exec = (scope: Grant.Scope) => all("proc.exec", scope)

/** With any arguments, or none. A name that is no plain command can still be a pattern. */
const prefixed = (words: string) => exec({ patterns: [words, `${words} *`] })

const commands: Tool = (command) => {
  if (command === undefined) return exec({ patterns: ["*"] })
  if (SHELL.test(command)) return all("proc.eval", {})
  const prefix = command.endsWith(":*") ? command.slice(0, -":*".length).trim() : undefined
  if (prefix === "") return Either.left({ detail: "no command stands before ':*'", remedy: "write 'git:*'" })
  if (prefix !== undefined) {
    return /\s/.test(prefix)
      ? prefixed(prefix)
      : firstOf(exec({ patterns: [command] }), () => prefixed(prefix))
  }
  return /\s/.test(command) || isWild(command)
    ? exec({ patterns: [command] })
    : firstOf(exec({ cmds: [command] }), () => prefixed(command))
}

const anyHost = all("net.get", { hosts: ["*"] })

const fetching: Tool = (host) =>
  host === undefined ? anyHost : all("net.get", { hosts: [host.replace(/^domain:\s*/, "")] })

const unscoped =
  (requires: ToolReading<ReadonlyArray<Requirement>>): Tool =>
  (scope) =>
    scope === undefined
      ? requires
      : Either.left({ detail: `it takes no scope, and has ${quote(scope)}`, remedy: "write its name alone" })

const reading = files("fs.read")
const writing = files("fs.write")
const readingRecords = unscoped(some("records.read"))
const storing = unscoped(all("storage.use", { scopes: ["session"] }))
const opening = unscoped(some("attachments.read"))

export const tools: ReadonlyMap<string, Tool> = new Map<string, Tool>([
  ["Bash", commands],
  ["Read", reading],
  ["Grep", reading],
  ["Glob", reading],
  ["LS", reading],
  ["Write", writing],
  ["Edit", writing],
  ["MultiEdit", writing],
  ["NotebookEdit", writing],
  ["WebFetch", fetching],
  ["WebSearch", unscoped(anyHost)],
  ["read_file", reading],
  ["list_files", reading],
  ["search_files", reading],
  ["write_file", writing],
  ["delete_file", files("fs.delete")],
  ["web_fetch", fetching],
  ["run_command", commands],
  ["run_shell", unscoped(all("proc.eval", {}))],
  ["kv_get", storing],
  ["kv_set", storing],
  ["kv_delete", storing],
  ["kv_list", storing],
  ["list_attachments", opening],
  ["read_attachment", opening],
  ["search_records", readingRecords],
  ["get_record", readingRecords],
  ["list_records", readingRecords],
  ["create_record", unscoped(some("records.create"))],
  ["update_record", unscoped(some("records.update"))],
  ["delete_record", unscoped(some("records.delete"))],
  ["grant_capability", unscoped(some("agent.grant"))]
])

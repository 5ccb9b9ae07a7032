/**
 * What is asked of an authority, as data. A request is made from text that comes from outside, so making one
 * can fail; once made, everything in it is canonical and `Authority.permits` only has to look it up.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Id from "./dimensions/Id.js"
import * as Name from "./dimensions/Name.js"
import * as Path from "./dimensions/Path.js"
import * as Ref from "./dimensions/Ref.js"
import type { Capability, Facet, Verb } from "./Facets.js"
import * as Host from "./Host.js"
import { hasControl, quote } from "./internal/text.js"
import { invalid, type ScopeInvalid } from "./ScopeInvalid.js"
import type { Element } from "./ScopeSet.js"

/**
 * @since 0.1.0
 * @category models
 */
export type Request =
  | {
      readonly _tag: "Http"
      readonly capability: Capability & `network.${string}`
      readonly verb: Verb<"network">
      readonly method: string
      readonly url: string
      readonly host: string
    }
  | {
      readonly _tag: "Scoped"
      readonly capability: Exclude<Capability, `network.${string}`>
      readonly facet: Exclude<Facet, "network">
      readonly verb: string
      readonly element: Element
      /** What is asked, in one line, for denials. A secret's ref is left out. */
      readonly asked: string
    }

/**
 * @since 0.1.0
 * @category models
 */
export type Made = Either.Either<Request, ScopeInvalid>

/** HEAD and OPTIONS read; PATCH writes in place. Whatever is not here is refused. */
const verbOfMethod: ReadonlyMap<string, Verb<"network">> = new Map([
  ["GET", "get"],
  ["HEAD", "get"],
  ["OPTIONS", "get"],
  ["POST", "post"],
  ["PUT", "put"],
  ["PATCH", "put"],
  ["DELETE", "delete"]
])

/**
 * @since 0.1.0
 * @category constructors
 */
export const http = (method: string, url: string): Made => {
  const upper = method.toUpperCase()
  const verb = verbOfMethod.get(upper)
  return verb === undefined
    ? invalid(
        "METHOD_INVALID",
        `the method ${quote(method)} is always refused; use ${[...verbOfMethod.keys()].join(", ")}`
      )
    : Either.map(Host.fromUrl(url), (target) => ({
        _tag: "Http",
        capability: `network.${verb}`,
        verb,
        method: upper,
        ...target
      }))
}

const scoped = <F extends Exclude<Facet, "network">>(
  facet: F,
  verb: Verb<F>,
  asked: string,
  parts: Readonly<Record<string, Either.Either<ReadonlyArray<string> | undefined, ScopeInvalid>>>
): Made =>
  Either.map(Either.all(parts), (element) => ({
    _tag: "Scoped",
    capability: `${facet}.${verb}` as Exclude<Capability, `network.${string}`>,
    facet,
    verb,
    element,
    asked
  }))

/**
 * @since 0.1.0
 * @category constructors
 */
export const file = (action: Verb<"files">, path: string): Made =>
  scoped("files", action, `${action} ${path}`, { path: Path.path.element(path) })

const place = (cwd: string | undefined): string => (cwd === undefined ? "" : ` in ${cwd}`)

const root = (cwd: string | undefined) =>
  cwd === undefined ? Either.right(undefined) : Path.root.element(cwd)

/**
 * Without a directory only a scope that is free of one allows it: where a command runs is part of what it is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const exec = (argv: ReadonlyArray<string>, cwd?: string): Made => {
  const [command] = argv
  if (command === undefined || command === "" || argv.some((word) => word.includes("\u0000"))) {
    return invalid("COMMAND_INVALID", "a command needs a name, and none of its words may hold NUL")
  }
  return scoped("process", "exec", `exec ${argv.map(word).join(" ")}${place(cwd)}`, {
    argv: Either.right(argv),
    in: root(cwd)
  })
}

/**
 * A shell script: its text is not looked at, only where it runs.
 *
 * @since 0.1.0
 * @category constructors
 */
export const shell = (cwd?: string): Made => scoped("process", "eval", `eval${place(cwd)}`, { in: root(cwd) })

/**
 * @since 0.1.0
 * @category constructors
 */
export const secret = (ref: string): Made =>
  scoped("secrets", "read", "a secret that is not held", { ref: Ref.ref.element(ref) })

/**
 * @since 0.1.0
 * @category constructors
 */
export const storage = (scope: string): Made =>
  scoped("storage", "use", `storage ${scope}`, { scope: Name.storageScope.element(scope) })

/**
 * @since 0.1.0
 * @category constructors
 */
export const attachment = (kind: string): Made =>
  scoped("attachments", "read", `attachment ${kind}`, { kind: Name.attachmentKind.element(kind) })

/**
 * @since 0.1.0
 * @category constructors
 */
export const record = (action: Verb<"records">, id: string, recordClass: string): Made =>
  scoped("records", action, `records.${action} ${id} of class ${recordClass}`, {
    class: Name.recordClass.element(recordClass),
    path: Id.recordPath.element(id)
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const agent = (action: Verb<"agents">, id: string): Made =>
  scoped("agents", action, `agents.${action} ${id}`, { id: Id.agentId.element(id) })

/** A word of a command line, quoted as JSON where it would not stand alone. */
const word = (text: string): string =>
  /^[^\s"\\]+$/.test(text) && !hasControl(text) ? text : JSON.stringify(text)

const WORDS = /"(?:[^"\\]|\\.)*"|[^\s"]+/g

const words = (text: string): ReadonlyArray<string> | undefined => {
  const found = text.match(WORDS) ?? []
  if (text.replace(WORDS, "").trim() !== "") return undefined
  try {
    return found.map((part) => (part.startsWith('"') ? (JSON.parse(part) as string) : part))
  } catch {
    return undefined
  }
}

/**
 * Reads one line: `GET https://a.b/c`, `read /x/y`, `exec git log in /work`, `eval in /work`,
 * `secret WEATHER_API_KEY`, `storage session`, `attachment image`, `records.update notes/a of class note`,
 * `agents.grant agents/scout`. Words with blanks are written as JSON strings.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parse = (line: string): Made => {
  const all = words(line)
  if (all === undefined || all.length === 0) {
    return invalid(
      "REQUEST_INVALID",
      `${quote(line)} is not a request; write e.g. 'GET https://example.com/' or 'read /x'`
    )
  }
  const [head = "", ...rest] = all
  const runsIn = rest.at(-2) === "in" && rest.at(-1)?.startsWith("/") === true ? rest.at(-1) : undefined
  const command = runsIn === undefined ? rest : rest.slice(0, -2)
  const [first = "", of, cls, name = ""] = rest
  const one = rest.length === 1
  if (head === "exec") return exec(command, runsIn)
  if (head === "eval") return shell(runsIn)
  if (one && verbOfMethod.has(head)) return http(head, first)
  if (one && (head === "read" || head === "write" || head === "delete")) return file(head, first)
  if (one && head === "secret") return secret(first)
  if (one && head === "storage") return storage(first)
  if (one && head === "attachment") return attachment(first)
  const [facet, verb] = head.split(".")
  if (
    facet === "records" &&
    isOneOf(recordVerbs, verb) &&
    rest.length === 4 &&
    of === "of" &&
    cls === "class"
  ) {
    return record(verb, first, name)
  }
  if (facet === "agents" && isOneOf(agentVerbs, verb) && one) return agent(verb, first)
  return invalid(
    "REQUEST_INVALID",
    `${quote(line)} is not a request: ${quote(head)} takes other words, or is unknown`
  )
}

const recordVerbs: ReadonlyArray<Verb<"records">> = ["read", "create", "update", "delete"]
const agentVerbs: ReadonlyArray<Verb<"agents">> = ["create", "update", "delete", "grant"]

const isOneOf = <A extends string>(all: ReadonlyArray<A>, value: string | undefined): value is A =>
  (all as ReadonlyArray<string | undefined>).includes(value)

/**
 * @since 0.1.0
 * @category printing
 */
export const show = (request: Request): string =>
  request._tag === "Http" ? `${request.method} ${withoutQuery(request.url)}` : request.asked

/** Queries and fragments carry tokens; what was asked is the method, the host and the path. */
const withoutQuery = (url: string): string => url.replace(/[?#].*$/, "")

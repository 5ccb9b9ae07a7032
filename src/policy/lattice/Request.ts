/**
 * Requests to an authority, as data. Text from outside becomes a request, so making one can fail. Everything in a
 * request is canonical, and `Authority.permits` only has to look it up.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { hasControl, quote } from "../text/Quote.js"
import * as Endpoint from "./dimensions/Endpoint.js"
import * as Id from "./dimensions/Id.js"
import * as Name from "./dimensions/Name.js"
import * as Path from "./dimensions/Path.js"
import * as Place from "./dimensions/Place.js"
import * as Ref from "./dimensions/Ref.js"
import type { Capability, Facet, Verb } from "./Facets.js"
import * as Host from "./Host.js"
import { invalid, type ScopeInvalid } from "./ScopeInvalid.js"
import type { Element } from "./ScopeSet.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Http {
  readonly _tag: "Http"
  readonly capability: Capability & `network.${string}`
  readonly verb: Verb<"network">
  readonly method: string
  readonly url: string
  readonly host: string
  readonly port: number
}

/**
 * Any request but HTTP: an element of the dimensions of its capability.
 *
 * @since 0.1.0
 * @category models
 */
export interface Scoped {
  readonly _tag: "Scoped"
  readonly capability: Exclude<Capability, `network.${string}`>
  readonly facet: Exclude<Facet, "network">
  readonly verb: string
  readonly element: Element
  /** The request in one line, which `parse` reads again. */
  readonly line: string
}

/**
 * @since 0.1.0
 * @category models
 */
export type Request = Http | Scoped

/**
 * A request, or why it cannot be made.
 *
 * @since 0.1.0
 * @category models
 */
export type Made<R extends Request = Request> = Either.Either<R, ScopeInvalid>

/** HEAD and OPTIONS read; PATCH writes in place. Every method that is not here is refused. */
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
export const http = (method: string, url: string): Made<Http> => {
  if (!areStrings(method, url)) return notStrings
  // Only ASCII: there are other letters that become these in upper case.
  const upper = /^[A-Za-z]+$/.test(method) ? method.toUpperCase() : ""
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

/** The types say so, but a request is made of text that a tool was given. */
const areStrings = (...values: ReadonlyArray<unknown>): boolean =>
  values.every((value) => typeof value === "string")

const notStrings: Made<never> = invalid("REQUEST_INVALID", "a request is made of strings")

const scoped = <F extends Exclude<Facet, "network">>(
  facet: F,
  verb: Verb<F>,
  line: string,
  parts: Readonly<Record<string, Either.Either<ReadonlyArray<string> | undefined, ScopeInvalid>>>
): Made<Scoped> =>
  Either.map(Either.all(parts), (element) => ({
    _tag: "Scoped",
    capability: `${facet}.${verb}` as Exclude<Capability, `network.${string}`>,
    facet,
    verb,
    element,
    line
  }))

/**
 * A connection to an address that is not public, by the host and port that the tool named.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connect = (host: string, port: number): Made<Scoped> =>
  areStrings(host)
    ? scoped("private", "connect", `connect ${host}:${port}`, {
        endpoint: Endpoint.endpoint.element(`${host}:${port}`)
      })
    : notStrings

/**
 * @since 0.1.0
 * @category constructors
 */
export const file = (action: Verb<"files">, path: string): Made<Scoped> =>
  areStrings(path)
    ? scoped("files", action, `${action} ${word(path)}`, { path: Path.path.element(path) })
    : notStrings

const place = (cwd: string | undefined): string => (cwd === undefined ? "" : ` in ${word(cwd)}`)

const root = (cwd: string | undefined) =>
  cwd === undefined ? Either.right(undefined) : Path.root.element(cwd)

/**
 * A command. Without a directory, only a scope that is free of one permits it: where a command runs is part of what
 * it is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const exec = (argv: ReadonlyArray<string>, cwd?: string): Made<Scoped> => {
  if (!Array.isArray(argv) || !areStrings(...argv.slice(0, MAX_WORDS), cwd ?? "")) return notStrings
  const [command] = argv
  if (command === undefined || command === "" || argv.length > MAX_WORDS) {
    return invalid("COMMAND_INVALID", `a command has a name, and at most ${MAX_WORDS} words`)
  }
  if (hasControl(command) || argv.some((text) => text.includes("\u0000"))) {
    return invalid(
      "COMMAND_INVALID",
      "a command's name holds no control characters, and none of its words NUL"
    )
  }
  return scoped("process", "exec", `exec ${argv.map(word).join(" ")}${place(cwd)}`, {
    argv: Either.right([...argv]),
    in: root(cwd)
  })
}

const MAX_WORDS = 10_000

/**
 * A shell script. Only its directory counts, and not its text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const shell = (cwd?: string): Made<Scoped> =>
  areStrings(cwd ?? "") ? scoped("process", "eval", `eval${place(cwd)}`, { in: root(cwd) }) : notStrings

/**
 * @since 0.1.0
 * @category constructors
 */
export const secret = (ref: string): Made<Scoped> =>
  areStrings(ref) ? scoped("secrets", "read", `secret ${ref}`, { ref: Ref.ref.element(ref) }) : notStrings

/**
 * The use of a secret that stays sealed: a request to a host and port carries it in a place, such as
 * `header:authorization`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const seal = (ref: string, host: string, port: number, place: string): Made<Scoped> =>
  areStrings(ref, host, place)
    ? scoped("secrets", "seal", `seal ${ref} to ${host}:${port} in ${place}`, {
        ref: Ref.ref.element(ref),
        to: Endpoint.to.element(`${host}:${port}`),
        in: Place.place.element(place)
      })
    : notStrings

/**
 * @since 0.1.0
 * @category constructors
 */
export const storage = (scope: string): Made<Scoped> =>
  areStrings(scope)
    ? scoped("storage", "use", `storage ${scope}`, { scope: Name.storageScope.element(scope) })
    : notStrings

/**
 * @since 0.1.0
 * @category constructors
 */
export const attachment = (kind: string): Made<Scoped> =>
  areStrings(kind)
    ? scoped("attachments", "read", `attachment ${kind}`, { kind: Name.attachmentKind.element(kind) })
    : notStrings

/**
 * @since 0.1.0
 * @category constructors
 */
export const record = (action: Verb<"records">, id: string, recordClass: string): Made<Scoped> =>
  areStrings(id, recordClass)
    ? scoped("records", action, `records.${action} ${word(id)} of class ${word(recordClass)}`, {
        class: Name.recordClass.element(recordClass),
        path: Id.recordPath.element(id)
      })
    : notStrings

/**
 * @since 0.1.0
 * @category constructors
 */
export const agent = (action: Verb<"agents">, id: string): Made<Scoped> =>
  areStrings(id)
    ? scoped("agents", action, `agents.${action} ${word(id)}`, { id: Id.agentId.element(id) })
    : notStrings

/**
 * A tool that runs at the provider of the model.
 *
 * @since 0.1.0
 * @category constructors
 */
export const provider = (tool: string): Made<Scoped> =>
  areStrings(tool)
    ? scoped("provider", "use", `provider ${word(tool)}`, { tool: Name.providerTool.element(tool) })
    : notStrings

/** A word of a line, quoted as JSON where it would not stand alone; a bare `in` says where a command runs. */
const word = (text: string): string =>
  /^[^\s"\\]+$/.test(text) && text !== "in" && !hasControl(text) ? text : JSON.stringify(text)

interface Word {
  readonly text: string
  readonly quoted: boolean
}

const WORD = /\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))(?=\s|$)/y

const wordsOf = (line: string): ReadonlyArray<Word> | undefined => {
  const found: Array<Word> = []
  WORD.lastIndex = 0
  for (let at = 0; at < line.trimEnd().length; at = WORD.lastIndex) {
    const match = WORD.exec(line)
    if (match === null) return undefined
    const [, quoted, bare = ""] = match
    try {
      found.push(
        quoted === undefined
          ? { text: bare, quoted: false }
          : { text: JSON.parse(`"${quoted}"`), quoted: true }
      )
    } catch {
      return undefined
    }
  }
  return found
}

const MAX_LINE = 16_384

/** The message does not repeat the line: a text that is no request may hold anything. */
const notARequest = invalid(
  "REQUEST_INVALID",
  "that is not a request; write one such as 'GET https://example.com/', 'read /x' or 'exec git log in /work'"
)

/**
 * Reads a request from one line: `GET https://a.b/c`, `read /x/y`, `exec git log in /work`, `eval in /work`,
 * `connect 127.0.0.1:8080`, `secret WEATHER_API_KEY`, `seal KEY to api.x.com:443 in header:authorization`, `storage session`, `attachment image`,
 * `provider code_execution`, `records.update notes/a of class note`, `agents.grant agents/scout`. Words with blanks
 * are written as JSON strings, and so is a word `in` of a command. A line that cannot be read in one way is a
 * `ScopeInvalid`, which says what to write.
 *
 * @example
 * ```ts
 * import { Request } from "bailiwick"
 * import { Either } from "effect"
 *
 * for (const line of ["GET https://API.GitHub.com/meta", "read /work/../etc/passwd"]) {
 *   const made = Request.parse(line)
 *   console.log(Either.match(made, { onLeft: ({ message }) => message, onRight: ({ capability }) => capability }))
 * }
 * ```
 *
 * ```text output
 * network.get
 * PATH_INVALID: '/work/../etc/passwd' contains '..' and is always refused; write the path it stands for
 * ```
 *
 * @since 0.1.0
 * @category parsing
 */
export const parse = (line: string): Made => {
  const all = typeof line === "string" && line.length <= MAX_LINE ? wordsOf(line) : undefined
  if (all === undefined || all.length === 0) return notARequest
  const [head = "", ...rest] = all.map(({ text }) => text)
  const marker = all.at(-2)
  const runsIn = all.length > 2 && marker?.text === "in" && !marker.quoted ? rest.at(-1) : undefined
  const command = runsIn === undefined ? rest : rest.slice(0, -2)
  const [first = "", of, cls, name = ""] = rest
  const one = rest.length === 1
  if (head === "exec") return exec(command, runsIn)
  if (head === "eval" && command.length === 0) return shell(runsIn)
  if (one && verbOfMethod.has(head)) return http(head, first)
  if (one && (head === "read" || head === "write" || head === "delete")) return file(head, first)
  if (one && head === "connect") return connect(...endpointIn(first))
  if (one && head === "secret") return secret(first)
  if (head === "seal" && rest.length === 5 && of === "to" && name === "in") {
    const [host, port] = endpointIn(cls ?? "")
    return seal(first, host, port, rest[4] ?? "")
  }
  if (one && head === "storage") return storage(first)
  if (one && head === "attachment") return attachment(first)
  if (one && head === "provider") return provider(first)
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
  return facet === "agents" && isOneOf(agentVerbs, verb) && one ? agent(verb, first) : notARequest
}

const endpointIn = (text: string): readonly [host: string, port: number] => {
  const colon = text.lastIndexOf(":")
  return [text.slice(0, colon), Number(text.slice(colon + 1))]
}

/**
 * Reads a request as `parse` does, and throws the `ScopeInvalid`.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parseSync = (line: string): Request => Either.getOrThrowWith(parse(line), (problem) => problem)

const recordVerbs: ReadonlyArray<Verb<"records">> = ["read", "create", "update", "delete"]
const agentVerbs: ReadonlyArray<Verb<"agents">> = ["create", "update", "delete", "grant"]

const isOneOf = <A extends string>(all: ReadonlyArray<A>, value: string | undefined): value is A =>
  (all as ReadonlyArray<string | undefined>).includes(value)

/**
 * Prints the line that `parse` reads, without the query and the fragment of a URL.
 *
 * @since 0.1.0
 * @category printing
 */
export const show = (request: Request): string =>
  request._tag === "Http" ? `${request.method} ${withoutQuery(request.url)}` : request.line

/**
 * Prints a request for a denial. It leaves out queries, refs and arguments, which may be secret.
 *
 * @since 0.1.0
 * @category printing
 */
export const summary = (request: Request): string => {
  if (request._tag === "Http") return show(request)
  if (request.facet === "secrets") return "a secret that is not held"
  const { argv } = request.element
  if (argv === undefined) return request.line
  const [name = "", ...rest] = argv
  const directory = request.element.in
  return [
    `exec ${word(name)}`,
    ...(rest.length === 0 ? [] : [`with ${rest.length} argument${rest.length === 1 ? "" : "s"}`]),
    ...(directory === undefined ? [] : [`in /${directory.join("/")}`])
  ].join(" ")
}

/** Queries and fragments carry tokens. The method, the host and the path say enough. */
const withoutQuery = (url: string): string => {
  const end = url.search(/[?#]/)
  return end < 0 ? url : url.slice(0, end)
}

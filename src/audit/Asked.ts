/**
 * What an entry of the log says was asked, read back. The line of an entry leaves things out on purpose: the arguments of
 * commands, the queries of URLs, whatever looked like a secret. So what comes back is never less than what was used: what
 * cannot be read is all that the scope of the decision holds.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { type Capability, isCapability } from "../policy/lattice/Facets.js"
import * as Request from "../policy/lattice/Request.js"
import * as Use from "../policy/lattice/Use.js"
import type { Decision } from "./AuditEntry.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Places {
  /** Whether a path is one file, where somebody knows; what is not known may be a directory. */
  readonly isFile?: ((path: string) => boolean) | undefined
  /** Where a path really leads. Without it no path leads elsewhere: what was used through a link is not known, and not kept. */
  readonly real?: ((path: string) => string) | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Command {
  readonly name: string
  readonly directory: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Asked {
  readonly capability: Capability
  /** The request, where all of it is in the line. */
  readonly request: Request.Request | undefined
  /** Of a command what its line says: its name, and where it ran. */
  readonly command: Command | undefined
  /** Whether it was passed on to another agent, and not used. */
  readonly isPassed: boolean
  /** What was used is in one of these. */
  readonly uses: ReadonlyArray<Use.Use>
  /** What it leads to, which nobody is asked aloud about: the address behind a host, the file behind a link. */
  readonly also: ReadonlyArray<Use.Use>
}

/** What the scrubber leaves in the place of a secret, and a cut in the place of an end. */
const UNREADABLE = /\[redacted\]|…$/

const COMMAND = /^exec (?:"((?:[^"\\]|\\.)*)"|([^\s"]+))(?: with [1-9]\d* arguments?)?(?: in (\/.*))?$/s

/** What is passed on stands under its own capability, and names who gets it. */
const PASSED = "pass on to "

/** The line of what is passed on to somebody. */
export const passing = (target: string): string => `${PASSED}${target}`

/** Whether something was passed on, and not used. */
export const isPassing = ({ asked }: Pick<Decision, "asked">): boolean => asked.startsWith(PASSED)

const unquoted = (json: string): string | undefined => {
  try {
    return JSON.parse(`"${json}"`)
  } catch {
    return undefined
  }
}

/** A command by its name and its directory. Its line tells how many arguments it had, which nobody grants. */
const commandOf = (line: string): (Command & { readonly use: Use.OfScope }) | undefined => {
  const [, quoted, bare, directory] = COMMAND.exec(line) ?? []
  const name = quoted === undefined ? bare : unquoted(quoted)
  const use = name === undefined ? undefined : Either.getOrUndefined(Use.ofCommand(name, directory))
  return name === undefined || use === undefined ? undefined : { name, directory, use }
}

/** What a line says, if it is about the capability that it stands under. */
const requestOf = (capability: Capability, line: string): Request.Request | undefined => {
  if (capability === "process.exec" || UNREADABLE.test(line)) return undefined
  const made = Request.parse(line)
  return Either.isRight(made) && made.right.capability === capability ? made.right : undefined
}

const pathOf = ({ element }: Request.Scoped): string => `/${(element.path ?? []).join("/")}`

const leadingTo = (request: Request.Request, { real }: Places): ReadonlyArray<Request.Made> => {
  if (request._tag === "Http") return [Request.connect(request.host, request.port)]
  if (request.facet !== "files" || real === undefined) return []
  const path = real(pathOf(request))
  return path === pathOf(request) ? [] : [Request.file(request.verb as "read" | "write" | "delete", path)]
}

const useOf = (request: Request.Request, { isFile }: Places): Use.Use =>
  Use.ofRequest(request, {
    isFile: request._tag === "Scoped" && request.facet === "files" && isFile?.(pathOf(request)) === true
  })

const isScope = (use: Use.Use): use is Use.OfScope => use._tag === "OfScope"

/** Of a network nobody can read, any address may have been behind it. */
const unknownBehind = (capability: Capability): ReadonlyArray<Use.Use> =>
  capability.startsWith("network.") ? [Use.unknown("private.connect")] : []

/**
 * What a decision was about. It is `undefined` for what is no question about a capability, such as a tool that there is
 * not.
 *
 * @since 0.1.0
 * @category parsing
 */
export const read = (
  { asked, capability, scope }: Pick<Decision, "asked" | "capability" | "scope">,
  places: Places = {}
): Asked | undefined => {
  if (!isCapability(capability)) return undefined
  const request = requestOf(capability, asked)
  if (request !== undefined) {
    const also = leadingTo(request, places).flatMap((made) =>
      Either.isRight(made) ? [useOf(made.right, places)] : []
    )
    return { capability, request, command: undefined, isPassed: false, uses: [useOf(request, places)], also }
  }
  const allowed = scope === undefined || UNREADABLE.test(scope) ? [] : Use.ofScope(capability, scope)
  const isPassed = isPassing({ asked })
  const isCommand = capability === "process.exec" && !isPassed && !UNREADABLE.test(asked)
  const command = isCommand ? commandOf(asked) : undefined
  const uses =
    command === undefined
      ? allowed
      : allowed.length === 0
        ? [command.use]
        : allowed.filter(isScope).map((one) => Use.both(command.use, one))
  return {
    capability,
    request: undefined,
    command: command && { name: command.name, directory: command.directory },
    isPassed,
    uses: uses.length === 0 ? [Use.unknown(capability)] : uses,
    also: isPassed ? [] : unknownBehind(capability)
  }
}

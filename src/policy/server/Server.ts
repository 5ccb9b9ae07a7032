/**
 * A server over MCP, as an operator wrote it down: how it is reached, and what it requires. Whoever reads the notation
 * makes one of these; the gateway, the doctor and the manifest read nothing else.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Authority from "../lattice/Authority.js"
import { ref } from "../lattice/dimensions/Ref.js"
import { facets } from "../lattice/Facets.js"
import { ScopeSet } from "../lattice/ScopeSet.js"
import type { Kind } from "./Inquiry.js"

/**
 * A server that is started here, inside the kernel sandbox.
 *
 * @since 0.1.0
 * @category models
 */
export interface Local {
  readonly _tag: "Local"
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Variables that it gets. Each is the ref of a secret, and the secret is its value. */
  readonly env: ReadonlyArray<string>
  /** Files and directories of its own code: it sees them, and cannot change them. */
  readonly code: ReadonlyArray<string>
  /** Where it starts; without it, in an empty directory of its own. */
  readonly cwd?: string | undefined
  /**
   * The directory that relative paths are written from: those of `code` and `cwd`, and arguments that name a file there. The
   * server gets such an argument as an absolute path.
   */
  readonly root?: string | undefined
}

/**
 * A header whose value is a secret, by its ref. With a scheme, as in `Bearer`, that comes before the value.
 *
 * @since 0.1.0
 * @category models
 */
export interface SecretHeader {
  readonly name: string
  readonly ref: string
  readonly scheme?: string | undefined
}

/**
 * A server that others run, over streamable HTTP.
 *
 * @since 0.1.0
 * @category models
 */
export interface Remote {
  readonly _tag: "Remote"
  readonly url: string
  readonly headers: ReadonlyArray<SecretHeader>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Server {
  readonly name: string
  /** What it requires. Where that is not written, or cannot be read, there is none, and the server is offered to nobody. */
  readonly requires: Authority.Authority | undefined
  /** The same as it is written. */
  readonly specs: ReadonlyArray<string>
  readonly transport: Local | Remote
  /** What it may ask of whoever uses it; without it, nothing. */
  readonly allows?: ReadonlyArray<Kind> | undefined
  /** How long a call of its tools may take; without it, the turn decides. */
  readonly timeoutMillis?: number | undefined
}

const refsOf = ({ transport }: Server): ReadonlyArray<string> =>
  transport._tag === "Local" ? transport.env : transport.headers.map((header) => header.ref)

/**
 * All that must be held for its tools to be offered: what it requires, and the secrets that it is given. Where a ref cannot
 * be one, or nothing is known of what it requires, there is no answer, and the server is offered to nobody.
 *
 * @since 0.1.0
 * @category deciding
 */
export const required = (server: Server): Authority.Authority | undefined => {
  if (server.requires === undefined) return undefined
  const parsed = Either.all(refsOf(server).map((name) => ref.parse(name)))
  if (Either.isLeft(parsed)) return undefined
  const read = ScopeSet.make(
    facets.secrets.read,
    parsed.right.map((glob) => ({ ref: [glob] }))
  )
  return Authority.join(server.requires, Authority.make({ secrets: { read } }))
}

/**
 * What the tools of a server are given instead of services: in whose name the server itself asks. A server lives longer than
 * a call, and belongs to a session: it asks by an authority that was said when its tools were registered, and what it is
 * answered is heard in the call that uses it then. No other tool is given this, and it is no part of the package.
 *
 * @since 0.1.0
 */
import { Context, Effect } from "effect"
import type { Holder } from "../policy/gate/Asking.js"
import * as Floor from "../policy/gate/floor/Floor.js"
import * as Authority from "../policy/lattice/Authority.js"
import * as Sandbox from "../policy/Sandbox.js"
import { Answering } from "./inquiry/Answering.js"
import { Scrubber } from "./scrub/Scrubber.js"

/**
 * @since 0.1.0
 */
export declare namespace Serving {
  /**
   * Who hears of a decision: a tool in its turn.
   *
   * @since 0.1.0
   * @category models
   */
  export type Hearing = Pick<Holder, "observe" | "log">

  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly session: string
    readonly backends: Context.Context<never>
    /** Tells terms from others: a server that was started on some is not used on others. */
    readonly terms: string
    readonly hearing: Hearing
    /** Who answers what the server asks, if anybody does. */
    readonly answering: Answering.Service | undefined
    /** The tool that was called, and on whose behalf. */
    readonly calling: { readonly tool: string; readonly agent: string | undefined }
    /** Who asks for the server, for as long as that is alive. `heard` says who hears of it at the moment. */
    readonly asking: (heard: () => Hearing | undefined, isAlive: () => boolean) => Holder
    /** Text as it may leave: without what is known to be secret. */
    readonly shown: (text: string) => string
    /** A value that goes to the server, or comes from it to somebody: without what is known to be secret, and all else as it is. */
    readonly discreet: <A>(value: A) => A
    /** Hears of every secret that is given to the server. */
    readonly revealed: (value: string) => void
    readonly hidden: (value: string) => void
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Serving extends Context.Tag("bailiwick/Serving")<Serving, Serving.Service>() {}

/**
 * What a server is started with, besides what it requires: that its command may be run, and that it may read its own code.
 * Nobody is asked whether a policy holds that.
 *
 * @since 0.1.0
 * @category models
 */
export interface Terms {
  readonly server: string
  readonly requires: Authority.Authority
  readonly own: Authority.Authority
  readonly session: string
  readonly floor: Floor.Floor
  readonly sandbox: Sandbox.Settings
}

const nobody: Serving.Hearing = { observe: () => {}, log: () => Effect.void }

const askingBy =
  ({ floor, own, requires, sandbox, server, session }: Terms): Serving.Service["asking"] =>
  (heard, isAlive) => {
    const authority = Authority.join(requires, own)
    return {
      tool: `mcp__${server}`,
      origin: { server },
      session,
      authority,
      floor,
      sandbox,
      // A server passes nothing on to anybody.
      granter: { agent: undefined, authority: Authority.nothing },
      mentioned: new Set(),
      lasts: true,
      isAlive,
      observe: (...decision) => (heard() ?? nobody).observe(...decision),
      log: (...decision) => (heard() ?? nobody).log(...decision)
    }
  }

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  terms: Terms,
  given: Omit<Serving.Service, "answering" | "asking" | "session" | "terms">
): Serving.Service => ({
  ...given,
  answering: given.backends.unsafeMap.get(Answering.key) as Answering.Service | undefined,
  session: terms.session,
  terms: JSON.stringify([terms.floor, terms.sandbox, terms.requires, terms.own]),
  asking: askingBy(terms)
})

/**
 * In nobody's turn: for an operator who wants to know what a server offers before anybody may use it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const byOperator = (
  terms: Omit<Terms, "floor" | "sandbox" | "session"> & Partial<Terms>,
  backends: Context.Context<never>,
  hearing: Serving.Hearing = nobody
): Serving.Service => {
  const scrubber = new Scrubber()
  const known = (value: string) => scrubber.add(value)
  return make(
    { session: "", floor: Floor.standard, sandbox: Sandbox.unwritten, ...terms },
    {
      backends,
      hearing,
      calling: { tool: `mcp__${terms.server}`, agent: undefined },
      hidden: known,
      revealed: known,
      shown: (text) => scrubber.text(text),
      discreet: (value) => scrubber.value(value)
    }
  )
}

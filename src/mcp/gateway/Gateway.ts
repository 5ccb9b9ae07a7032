/**
 * All servers of a gateway, each in the sessions that use it.
 *
 * @since 0.1.0
 */
import { type Context, Effect, type Scope } from "effect"
import { NetworkBackend } from "../../capabilities/network/NetworkBackend.js"
import { ProcessBackend } from "../../capabilities/process/ProcessBackend.js"
import { SecretsBackend } from "../../capabilities/secrets/SecretsBackend.js"
import * as Authority from "../../policy/lattice/Authority.js"
import { getOrSet } from "../../policy/Memo.js"
import type { Kind } from "../../policy/server/Inquiry.js"
import type { Server } from "../../policy/server/Server.js"
import type { Answering } from "../../registry/inquiry/Answering.js"
import type { Serving } from "../../registry/Serving.js"
import { Scrubber } from "../../registry/scrub/Scrubber.js"
import type { Standing, Terms } from "./Connection.js"
import { type Launch, launchOf } from "./Launch.js"
import type { Limits } from "./Limits.js"
import { localWire } from "./localWire.js"
import { digestOf, type PinnedTool } from "./PinnedTool.js"
import { remoteWire } from "./remoteWire.js"
import { Slot } from "./Slot.js"

/**
 * A server, with how it is started and what is pinned of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Known {
  readonly server: Server
  readonly launch: Launch | undefined
  readonly tools: ReadonlyArray<PinnedTool>
  readonly pinned: ReadonlyMap<string, string>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const known = (server: Server, tools: ReadonlyArray<PinnedTool>): Known => ({
  server,
  launch: server.transport._tag === "Local" ? launchOf(server.transport) : undefined,
  tools,
  pinned: new Map(tools.map((tool) => [tool.name, digestOf(tool)]))
})

/**
 * What a server is let to besides what it requires.
 *
 * @since 0.1.0
 * @category models
 */
export const ownOf = ({ launch }: Known): Authority.Authority => launch?.own ?? Authority.nothing

/** What of all that a server may ask for is answered. Of its roots the gateway knows itself. */
const answeredOf = ({ allows = [] }: Server, answering: Answering.Service | undefined): ReadonlyArray<Kind> =>
  allows.filter((kind) => kind === "roots" || answering?.[kind] !== undefined)

/**
 * How a server is started, in whose name, and who hears of it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const termsOf = (
  { launch, pinned, server }: Known,
  limits: Limits,
  serving: Serving.Service,
  life: {
    readonly declared: ReadonlyArray<Kind>
    readonly heard: () => Serving.Hearing | undefined
    readonly isAlive: () => boolean
    readonly ended: Terms["ended"]
    readonly compared: Terms["compared"]
  }
): Terms => {
  const holder = serving.asking(life.heard, life.isAlive)
  const { name, transport } = server
  const given = new Scrubber()
  const giving: Serving.Service = {
    ...serving,
    revealed: (value) => {
      given.add(value)
      serving.revealed(value)
    }
  }
  return {
    name,
    limits,
    pinned,
    allows: server.allows ?? [],
    declared: life.declared,
    hearing: holder,
    shown: (tool) => given.value(tool),
    start: (ears) => {
      const rooted = life.declared.includes("roots") ? server.requires : undefined
      const starting = { name, serving: giving, holder, limits, rooted, ears }
      return transport._tag === "Local" && launch !== undefined
        ? localWire(transport, launch, starting)
        : transport._tag === "Remote"
          ? remoteWire(transport, starting)
          : Effect.dieMessage("a local server has a launch")
    },
    compared: life.compared,
    ended: life.ended
  }
}

const numbers = new WeakMap<object, number>()
let last = 0

/** Tells one backend from another: what was started for one tenant is not used for another. */
const numberOf = ({ unsafeMap }: Context.Context<never>, { key }: { readonly key: string }): number => {
  const backend = unsafeMap.get(key) as object | undefined
  return backend === undefined ? 0 : getOrSet(numbers, backend, () => ++last)
}

const keyOf = (
  server: string,
  { backends, session, terms }: Serving.Service,
  declared: ReadonlyArray<Kind>
): string =>
  JSON.stringify([
    session,
    server,
    terms,
    declared,
    [ProcessBackend, NetworkBackend, SecretsBackend].map((tag) => numberOf(backends, tag))
  ])

const withoutGone = (standing: ReadonlyMap<string, Standing>): ReadonlyMap<string, Standing> =>
  new Map([...standing].filter(([, how]) => how !== "gone"))

/**
 * @since 0.1.0
 * @category models
 */
export class Gateway {
  readonly #slots = new Map<
    string,
    { readonly session: string; readonly server: string; readonly slot: Slot }
  >()

  constructor(
    private readonly limits: Limits,
    private readonly scope: Scope.Scope,
    private readonly compared: (
      server: string,
      standing: ReadonlyMap<string, Standing>
    ) => Effect.Effect<void>,
    /** Who answers where the program around a call does not say. */
    private readonly answering?: Answering.Service | undefined
  ) {}

  #running = 0
  readonly #waiting = new Set<() => void>()

  /** Counts a call that is made through it. */
  running<A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      this.#running++
      return Effect.ensuring(
        call,
        Effect.sync(() => {
          if (--this.#running > 0) return
          for (const go of this.#waiting) go()
          this.#waiting.clear()
        })
      )
    })
  }

  /** Settles when no call is made through it. */
  get idle(): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      const go = () => resume(Effect.void)
      if (this.#running === 0) return go()
      this.#waiting.add(go)
      return Effect.sync(() => this.#waiting.delete(go))
    })
  }

  /** Where a tool in its turn has found its server before: to word the key takes longer than to use it. */
  readonly #found = new WeakMap<Serving.Service, Slot>()

  /** The server in the session of a call. One that was started on other terms for the same session is ended. */
  slotOf(one: Known, serving: Serving.Service): Effect.Effect<Slot> {
    const before = this.#found.get(serving)
    if (before?.isClosed === false) return Effect.succeed(before)
    return Effect.tap(this.#slotOf(one, serving), (slot) => Effect.sync(() => this.#found.set(serving, slot)))
  }

  #slotOf(one: Known, serving: Serving.Service): Effect.Effect<Slot> {
    const { allows, name } = one.server
    const declared = answeredOf(one.server, serving.answering ?? this.answering)
    // One that is told less may offer less, and says nothing of what it offers others.
    const isWhole = declared.length === (allows ?? []).length
    const key = keyOf(name, serving, declared)
    const found = this.#slots.get(key)
    if (found !== undefined && !found.slot.isClosed) return Effect.succeed(found.slot)
    const slot = new Slot({
      limits: this.limits,
      scope: this.scope,
      answering: this.answering,
      terms: (serving, heard, isAlive, ended) =>
        termsOf(one, this.limits, serving, {
          declared,
          heard,
          isAlive,
          ended,
          compared: (standing) => this.compared(name, isWhole ? standing : withoutGone(standing))
        })
    })
    const others = this.#where((other) => other.server === name && other.session === serving.session)
    this.#slots.set(key, { session: serving.session, server: name, slot })
    return Effect.as(
      Effect.forEach(others, (close) => close, { discard: true }),
      slot
    )
  }

  /** Ends all that was started for a session. */
  endSession(session: string): Effect.Effect<void> {
    return Effect.suspend(() =>
      Effect.forEach(
        this.#where((one) => one.session === session),
        (close) => close,
        { concurrency: "unbounded", discard: true }
      )
    )
  }

  #where(
    is: (one: { readonly session: string; readonly server: string }) => boolean
  ): ReadonlyArray<Effect.Effect<void>> {
    const found = [...this.#slots].filter(([, one]) => is(one))
    for (const [key] of found) this.#slots.delete(key)
    return found.map(([, { slot }]) => slot.close)
  }
}

/**
 * A server that was started, has said hello, and has listed its tools: each as it is pinned, or not.
 *
 * @since 0.1.0
 */
import { Deferred, Effect, FiberId, Mailbox, Runtime, Schedule, type Scope, Stream } from "effect"
import type { Kind } from "../../policy/server/Inquiry.js"
import type { Serving } from "../../registry/Serving.js"
import { revisions } from "../protocol/Message.js"
import { GatewayError } from "./GatewayError.js"
import { Inquiries } from "./Inquiries.js"
import type { Limits } from "./Limits.js"
import { listed } from "./listing.js"
import { Peer, type Wire } from "./Peer.js"
import { digestOf, type PinnedTool } from "./PinnedTool.js"
import type { Ears } from "./Transport.js"

/**
 * What a server says of a tool now, compared with what is pinned.
 *
 * @since 0.1.0
 * @category models
 */
export type Standing = "as pinned" | "changed" | "gone"

/**
 * @since 0.1.0
 * @category models
 */
export interface Terms {
  readonly name: string
  readonly limits: Limits
  /** What is pinned of each tool, as digests. */
  readonly pinned: ReadonlyMap<string, string>
  /** What it may ask for, and what of that it is told: only what somebody answers. */
  readonly allows: ReadonlyArray<Kind>
  readonly declared: ReadonlyArray<Kind>
  /** Hears of what it asks while none of its tools is called. */
  readonly hearing: Serving.Hearing
  /** Starts the server, whose messages go to these ears. */
  readonly start: (ears: Ears) => Effect.Effect<Wire, GatewayError, Scope.Scope>
  /** A tool as it may be written down: without the secrets that the server was given. */
  readonly shown: (tool: PinnedTool) => PinnedTool
  /** Hears how its tools stand, each time that is looked at. */
  readonly compared: (standing: ReadonlyMap<string, Standing>) => Effect.Effect<void>
  /** Hears of its end. */
  readonly ended: (why: GatewayError) => void
}

const VERSION = "0.1.0"

const timedOut = (name: string, millis: number) =>
  new GatewayError({
    code: "SERVER_TIMED_OUT",
    detail: `the MCP server ${name} did not answer within ${millis} ms after its start`
  })

const mute = (name: string) =>
  new GatewayError({
    code: "SERVER_ENDED",
    detail: `the MCP server ${name} has closed its output, and answers nothing any more; call again: it is started anew`
  })

const over = (name: string) =>
  new GatewayError({ code: "SERVER_ENDED", detail: `the MCP server ${name} was ended with its session` })

const greeted = (peer: Peer, wire: Wire, { declared, name }: Terms): Effect.Effect<boolean, GatewayError> =>
  Effect.flatMap(
    peer.request("initialize", {
      protocolVersion: revisions[0],
      // Plain: elicitation with forms alone, sampling without tools and context, roots that stay the same.
      capabilities: Object.fromEntries(declared.map((kind) => [kind, {}])),
      clientInfo: { name: "bailiwick", version: VERSION }
    }),
    (answer) => {
      const { capabilities, protocolVersion } = answer as Readonly<Record<string, unknown>>
      const spoken = revisions.find((one) => one === protocolVersion)
      if (spoken === undefined) {
        const detail = `the MCP server ${name} speaks none of the revisions ${revisions.join(" and ")}`
        return Effect.fail(new GatewayError({ code: "SERVER_MALFORMED", detail }))
      }
      wire.agreed?.(spoken)
      peer.notify("notifications/initialized")
      const has = typeof capabilities === "object" && capabilities !== null && "tools" in capabilities
      return Effect.succeed(has)
    }
  )

/** How often its tools may be others before each time counts as a fault. */
const CHANGES = 32

/**
 * @since 0.1.0
 * @category models
 */
export class Connection {
  #standing: ReadonlyMap<string, Standing> = new Map()
  #tools: ReadonlyMap<string, PinnedTool> = new Map()
  /** Its tools are to be looked at again: nobody calls one before. */
  #looking: Deferred.Deferred<void, GatewayError> | undefined
  #changes = 0
  readonly peer: Peer
  #wire: Wire | undefined

  private constructor(
    private readonly terms: Terms,
    private readonly stale: Mailbox.Mailbox<void>,
    runtime: Runtime.Runtime<never>
  ) {
    const { allows, declared, hearing, limits, name } = terms
    const inquiries = new Inquiries(
      {
        name,
        allows,
        declared,
        limits,
        hearing,
        roots: () => this.#wire?.roots ?? [],
        run: (effect) => Runtime.runFork(runtime, effect)
      },
      (answer) => this.peer.answer(answer)
    )
    this.peer = new Peer(
      {
        send: (message) => this.#wire?.send(message),
        forget: (id) => this.#wire?.forget?.(id),
        agreed: (revision) => this.#wire?.agreed?.(revision),
        end: terms.ended
      },
      limits,
      inquiries,
      () => this.#changed()
    )
  }

  /** Starts a server, greets it, and looks at its tools. It lives in the scope. */
  static open(terms: Terms): Effect.Effect<Connection, GatewayError, Scope.Scope> {
    const { limits, name } = terms
    return Effect.gen(function* () {
      const connection = new Connection(terms, yield* Mailbox.make<void>(), yield* Effect.runtime<never>())
      // Whoever still waits when it is ended waits for nothing.
      yield* Effect.addFinalizer(() => Effect.sync(() => connection.peer.close(over(name))))
      yield* connection.#start
      yield* Effect.forkScoped(connection.#watch)
      yield* Effect.forkScoped(connection.#listen)
      return connection
    }).pipe(
      Effect.timeoutFail({
        duration: limits.startMillis,
        onTimeout: () => timedOut(name, limits.startMillis)
      })
    )
  }

  get #start(): Effect.Effect<void, GatewayError, Scope.Scope> {
    const { peer, terms } = this
    const ears: Ears = {
      line: (line, about) => peer.hear(line, about),
      waitsFor: (id) => peer.waitsFor(id),
      failed: (id, why) => peer.fail(id, why),
      ended: (why) => this.#lost(why)
    }
    return Effect.gen(this, function* () {
      const wire = yield* terms.start(ears)
      this.#wire = wire
      const hasTools = yield* greeted(peer, wire, terms)
      if (hasTools) yield* this.#look
      else yield* this.#compare(new Map())
    })
  }

  get #look(): Effect.Effect<void, GatewayError> {
    const { limits, shown } = this.terms
    return Effect.flatMap(listed(this.peer, limits), (tools) => {
      const known = [...tools].map(([name, tool]) => [name, shown(tool)] as const)
      // One that is named after a secret cannot be called without telling it.
      return this.#compare(new Map(known.filter(([name, tool]) => tool.name === name)))
    })
  }

  #compare(tools: ReadonlyMap<string, PinnedTool>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const standing = [...this.terms.pinned].map(([name, digest]): [string, Standing] => {
        const tool = tools.get(name)
        return [name, tool === undefined ? "gone" : digestOf(tool) === digest ? "as pinned" : "changed"]
      })
      this.#tools = tools
      this.#standing = new Map(standing)
      return this.terms.compared(this.#standing)
    })
  }

  #changed(): void {
    if (this.#looking !== undefined || ++this.#changes > CHANGES) {
      this.peer.fault()
      return
    }
    this.#looking = Deferred.unsafeMake(FiberId.none)
    this.stale.unsafeOffer(undefined)
  }

  /** A server that has closed its output answers nobody: who waits for it is told, and it is ended. */
  get #listen(): Effect.Effect<void> {
    const { limits, name } = this.terms
    let deaf = 0
    const look = Effect.sync(() => {
      const isMute = this.peer.isWaitedFor && this.#wire?.speaks?.() === false
      deaf = isMute ? deaf + 1 : 0
      // Once may be in the midst of a fork.
      if (deaf >= 2 && this.peer.ended === undefined) this.#lost(mute(name))
    })
    return Effect.repeat(Effect.zipRight(Effect.sleep(limits.listenMillis), look), Schedule.forever)
  }

  #lost(why: GatewayError): void {
    this.peer.close(why)
    this.terms.ended(why)
  }

  /** Looks again each time that its tools may be others. A server that does not say what they are is ended. */
  get #watch(): Effect.Effect<void> {
    const { limits, name } = this.terms
    const again = this.#look.pipe(
      Effect.timeoutFail({
        duration: limits.startMillis,
        onTimeout: () => timedOut(name, limits.startMillis)
      }),
      Effect.tapError((why) => Effect.sync(() => this.#lost(why))),
      Effect.exit,
      Effect.tap((exit) => {
        const looking = this.#looking
        this.#looking = undefined
        return looking === undefined ? Effect.void : Deferred.done(looking, exit)
      })
    )
    return Stream.runForEach(Mailbox.toStream(this.stale), () => again)
  }

  /** What it may ask for, and was not told of because nobody answers it. */
  get undeclared(): ReadonlyArray<Kind> {
    const { allows, declared } = this.terms
    return allows.filter((kind) => !declared.includes(kind))
  }

  /** What it offers now. */
  get tools(): ReadonlyArray<PinnedTool> {
    return [...this.#tools.values()]
  }

  /** How a tool stands, once that is known. */
  standingOf(tool: string): Effect.Effect<Standing, GatewayError> {
    const now = Effect.sync(() => this.#standing.get(tool) ?? "gone")
    return this.#looking === undefined ? now : Effect.zipRight(Deferred.await(this.#looking), now)
  }
}

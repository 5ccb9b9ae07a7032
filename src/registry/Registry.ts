/**
 * Tools by name, and the life of their calls: the registry checks them against a policy, offers, explains and
 * executes them.
 *
 * @since 0.1.0
 */
import { type Context, Effect, type JSONSchema, Option, Schema, type Scope } from "effect"
import { AttachmentsBackend } from "../capabilities/attachments/AttachmentsBackend.js"
import type { AttachmentsError } from "../capabilities/attachments/AttachmentsOperations.js"
import type { BackendsOf } from "../capabilities/Capabilities.js"
import { sessionNamespace } from "../capabilities/storage/Namespace.js"
import { StorageBackend } from "../capabilities/storage/StorageBackend.js"
import type { StorageError } from "../capabilities/storage/StorageOperations.js"
import type { Authority } from "../policy/lattice/Authority.js"
import type { Capability } from "../policy/lattice/Facets.js"
import type * as Policy from "../policy/Policy.js"
import { looksLike, originRefused } from "../policy/ToolOrigin.js"
import * as Tool from "../tools/Tool.js"
import type { Call, Result, Results } from "./Call.js"
import { type Availability, nothingToAsk, prepare } from "./execution/Admission.js"
import { Cache } from "./execution/AnswerCache.js"
import { dispatch } from "./execution/Dispatch.js"
import { inside, outside } from "./execution/Outside.js"
import { Session } from "./execution/Session.js"
import { type Explained, explainCall } from "./explain/Explain.js"
import { Plan, type Registration } from "./Plan.js"
import { RegistryError } from "./RegistryError.js"
import * as Resolution from "./Resolution.js"
import type { Turn } from "./Turn.js"

export { validateRegistration, validateToolsForPersonality } from "./Validation.js"

/**
 * A tool as it is offered to a model.
 *
 * @since 0.1.0
 * @category models
 */
export interface Item {
  readonly name: string
  readonly description: string
  readonly parameters: JSONSchema.JsonSchema7Root
  readonly readOnly: boolean
  readonly outputIsUntrusted: boolean
  readonly category: string | undefined
  /** What the tool declares, in words. */
  readonly surface: ReadonlyArray<string>
}

/**
 * A tool that is not offered, and why. Any one of the capabilities in `needs` would give it something to do.
 *
 * @since 0.1.0
 * @category models
 */
export interface Missing {
  readonly name: string
  readonly why: string
  readonly needs: ReadonlyArray<Capability>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ExecuteOptions {
  /** When it aborts, the calls that are left settle as interrupted. */
  readonly signal?: AbortSignal | undefined
  /** Is called with each result as it comes, before the result is cut to the budget. */
  readonly onResult?: ((result: Result) => void) | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface RegisterOptions {
  /** The plugin that the tool comes from. A policy may offer all tools of a plugin, or none of them. */
  readonly plugin?: string | undefined
  /** The MCP server that the tool comes from: then it is named `mcp__<server>__<tool>`. */
  readonly server?: string | undefined
  /** The file of the isolated module that the tool comes from. */
  readonly module?: string | undefined
  /**
   * What must be held as a whole: where a policy holds less, the tool is neither offered nor called. `"unknown"` is held by
   * nobody. Without it, nothing is required.
   */
  readonly requires?: Authority | "unknown" | undefined
  /** @internal What the server of the tool is started with, besides what it requires. */
  readonly own?: Authority | undefined
  /** @internal What the server of the tool is started as. */
  readonly starts?: Registration["starts"]
}

/** The tools that a name may be of: all of them, where neither the name nor the tools are known. */
type Named<Tools extends Tool.Any, Name> = Tools extends { readonly name: infer Known }
  ? string extends Known | Name
    ? Tools
    : Known extends Name
      ? Tools
      : never
  : never

/** What a name that is known takes. A name that is computed may be of any tool: then nothing is known. */
type ArgsOf<Tools extends Tool.Any, Name> = string extends Name ? unknown : Tool.Args<Named<Tools, Name>>

type SuccessOf<Tools extends Tool.Any, Name> = string extends Name
  ? unknown
  : Tool.Success<Named<Tools, Name>>

/** A name that is written out must be one of those that are known. */
type NameOf<Tools extends Tool.Any, Name> = string extends Name
  ? string
  : Name extends Tool.Name<Tools>
    ? Name
    : `no tool '${Name & string}' in this registry`

const noOptions: ExecuteOptions = {}

/** How many sessions of one turn are kept, of those in which nothing runs: one for each tenant that shares it. */
const MAX_IDLE = 8

/**
 * Tools by name. `Registry.make` makes one. `Required` is what must be there where tools are run: the application services
 * that they list. Of tools whose type is not known, nothing is known of that either: then nothing is required, and a
 * call whose service is not there is `not_available`.
 *
 * @since 0.1.0
 * @category models
 */
export class Registry<out Tools extends Tool.Any = Tool.Any, out Required = Tool.AppServices<Tools>> {
  private readonly byName = new Map<string, Tool.Any>()
  private readonly likeness = new Map<string, string>()
  private readonly registeredFor = new Map<string, Registration>()
  private readonly servers = new Map<string, number>()
  private readonly atEnd = new Set<(session: string) => Effect.Effect<void>>()
  private readonly hearing = new Set<(tool: string) => void>()
  private readonly cache = new Cache()
  private readonly own = { tools: this.byName, cache: this.cache }
  private readonly plans = new WeakMap<Policy.Policy, Array<Plan>>()
  private readonly sessions = new WeakMap<Turn, ReadonlyArray<Session>>()
  /** The keys of all services that were ever listed here; the list is another when a key comes to it. */
  private listed: ReadonlyArray<string> = []

  /** @internal */
  constructor(tools: ReadonlyArray<Tools>) {
    for (const tool of tools) this.add(tool)
  }

  /** The tools, by name. */
  get tools(): ReadonlyMap<string, Tool.Any> {
    return new Map(this.byName)
  }

  /** What tools were registered for, by the name of the tool; those of the host itself are not in it. */
  get origins(): ReadonlyMap<string, Registration> {
    return new Map(this.registeredFor)
  }

  private add(tool: unknown, origin: Registration = {}): Tool.Any {
    if (!Tool.isTool(tool)) {
      throw new RegistryError({
        code: "TOOL_MALFORMED",
        detail: "that is not a tool with declared capabilities; make it with Tool.make"
      })
    }
    const misplaced = originRefused(tool.name, origin)
    if (misplaced !== undefined) throw new RegistryError({ code: "TOOL_MALFORMED", detail: misplaced })
    const taken = this.likeness.get(looksLike(tool.name))
    if (taken !== undefined) {
      throw new RegistryError({
        code: "NAME_TAKEN",
        detail: `a tool ${taken} is registered already; give ${tool.name} another name`
      })
    }
    this.likeness.set(looksLike(tool.name), tool.name)
    this.byName.set(tool.name, tool)
    const unheard = tool.services.filter((key) => !this.listed.includes(key))
    if (unheard.length > 0) this.listed = [...this.listed, ...unheard]
    const { module, plugin, requires, server } = origin
    if ([module, plugin, requires, server].some((one) => one !== undefined)) {
      this.registeredFor.set(tool.name, origin)
    }
    return tool
  }

  /**
   * Registers one more tool until the scope closes. Fails with `NAME_TAKEN` when another tool has the name, or one
   * that looks like it, and with `TOOL_MALFORMED` for what `Tool.make` has not made. The type of the registry does not
   * learn of the tool: where a service that it lists is not there, its calls are `not_available`.
   */
  register(
    tool: Tool.Any,
    { module, own, plugin, requires, server, starts }: RegisterOptions = {}
  ): Effect.Effect<void, RegistryError, Scope.Scope> {
    return Effect.asVoid(
      Effect.acquireRelease(
        Effect.try({
          try: () => this.add(tool, Object.freeze({ plugin, server, module, requires, own, starts })),
          catch: (error) =>
            error instanceof RegistryError
              ? error
              : new RegistryError({ code: "TOOL_MALFORMED", detail: "that is not a tool" })
        }),
        ({ name }) =>
          Effect.sync(() => {
            this.byName.delete(name)
            this.likeness.delete(looksLike(name))
            this.registeredFor.delete(name)
          })
      )
    )
  }

  /**
   * Says that a server is configured, until the scope closes, be it without any tool: a call of what it does not have is
   * told so. `ended` is run when a session ends.
   */
  serving(
    server: string,
    ended: (session: string) => Effect.Effect<void> = () => Effect.void
  ): Effect.Effect<void, never, Scope.Scope> {
    const count = (by: number) => {
      const now = (this.servers.get(server) ?? 0) + by
      if (now > 0) this.servers.set(server, now)
      else this.servers.delete(server)
    }
    return Effect.acquireRelease(
      Effect.sync(() => {
        count(1)
        this.atEnd.add(ended)
      }),
      () =>
        Effect.sync(() => {
          count(-1)
          this.atEnd.delete(ended)
        })
    )
  }

  /** Withholds a tool that was registered, for a reason, or offers it again. What runs of it by then goes on. */
  withhold(name: string, why: string | undefined): Effect.Effect<void> {
    return Effect.sync(() => {
      const known = this.registeredFor.get(name)
      if (known === undefined || known.withheld === why) return
      this.registeredFor.set(name, Object.freeze({ ...known, withheld: why }))
      for (const hear of this.hearing) hear(name)
    })
  }

  /** Hears of each tool that is withheld, or offered again, until the scope closes. Menus are others then. */
  watching(hear: (tool: string) => void): Effect.Effect<void, never, Scope.Scope> {
    const own = (tool: string) => hear(tool)
    return Effect.acquireRelease(
      Effect.sync(() => void this.hearing.add(own)),
      () => Effect.sync(() => void this.hearing.delete(own))
    )
  }

  /**
   * Makes a call of a tool, typed by its name: give it to `execute`. Where the name is computed, or the tools of the
   * registry are not known, it takes any arguments; `execute` decodes them as those of a model.
   */
  call<const Name extends Tool.Name<Tools> | (string & {})>(
    name: NameOf<Tools, Name>,
    args: ArgsOf<Tools, Name>,
    id: string = name
  ): Call<Name, SuccessOf<Tools, Name>> {
    const parameters = this.byName.get(name)?.parameters
    const encoded =
      parameters === undefined ? undefined : outside(() => Schema.encodeUnknownEither(parameters)(args))
    return { id, name: name as string as Name, args: encoded?._tag === "Right" ? encoded.right : args }
  }

  /**
   * Lists the scopes that offered tools declare and the policy does not allow, each with its remedy. A host can print
   * the list when it starts. It throws nothing and keeps no tool from running.
   */
  validate(policy: Policy.Policy, places: { readonly home?: string } = {}): ReadonlyArray<Resolution.Gap> {
    return this.plan(policy, places.home).offered.flatMap((tool) => Resolution.gaps(tool, policy, places))
  }

  /** Compiles the policy for these tools. The result is kept for the next call. */
  plan(policy: Policy.Policy, home: string | undefined): Plan {
    const known = this.plans.get(policy) ?? []
    const found = known.find((plan) => plan.home === home)
    if (found !== undefined) return found
    const made = new Plan(policy, home, this.byName, this.registeredFor, this.servers)
    this.plans.set(policy, [...known, made])
    return made
  }

  private session(turn: Turn, ambient: Context.Context<never>): Session {
    const known = this.sessions.get(turn) ?? []
    for (const session of known) if (session.serves(ambient, this.listed)) return session
    const made = this.sessionOf(turn, ambient)
    // One that is idle is made again when it is needed; in one that runs, calls can still be cancelled.
    this.sessions.set(turn, [made, ...known.filter((one, at) => at < MAX_IDLE - 1 || one.isRunning)])
    return made
  }

  private sessionOf(turn: Turn, ambient: Context.Context<never>, acts = true): Session {
    return new Session(turn, this.plan(turn.policy, turn.home), ambient, this.listed, acts)
  }

  /**
   * Lists the tools to offer to the model in this turn: those that are in the toolset, can work here, and get
   * something from the policy. `missing` lists the others, each with the reason.
   *
   * @example
   * ```ts
   * import { AgentRecord, Builtin, Registry, Turn } from "bailiwick"
   * import { MemoryRecords } from "bailiwick/node"
   * import { Effect } from "effect"
   *
   * const text = "---\nclass: agent\naccess: r\n---\nYou read records.\n"
   * const reader = AgentRecord.parse({ id: "agents/reader", file: "reader.md", text }, {})
   * const turn = Turn.make({ session: "s1", policy: AgentRecord.policy(reader), workdir: "/work" })
   *
   * const menu = Registry.make(Builtin.getRecord, Builtin.deleteRecord).menu(turn)
   * for (const { name } of await Effect.runPromise(Effect.provide(menu, MemoryRecords.layer()))) console.log(name)
   * ```
   *
   * ```text output
   * get_record
   * ```
   */
  menu(turn: Turn): Effect.Effect<ReadonlyArray<Item>, never, Required> {
    return Effect.map(this.considered(turn), (all) =>
      outside(() => all.flatMap(({ missing, tool }) => (missing === undefined ? [itemOf(tool)] : [])))
    )
  }

  /** Lists the tools that the turn does not offer, each with the reason and with the capabilities that would help. */
  missing(turn: Turn): Effect.Effect<ReadonlyArray<Missing>, never, Required> {
    return Effect.map(this.considered(turn), (all) => all.flatMap(({ missing }) => missing ?? []))
  }

  private considered(turn: Turn): Effect.Effect<ReadonlyArray<Considered>> {
    return Effect.flatMap(Effect.context<never>(), (ambient) => {
      const session = this.session(turn, ambient)
      const calls = [...this.byName.keys()].map((name) => ({ id: name, name, args: {} }))
      return Effect.map(prepare(session, this.byName, calls) ?? Effect.succeed(nothingToAsk), (available) =>
        [...this.byName.values()].map((tool) => ({ tool, missing: whyNot(session, available, tool) }))
      )
    })
  }

  /**
   * Says what would come of a call, and runs nothing. The result is that of the call, or lists the decisions that it
   * would meet, each with the line that allows it. For a call that the policy refuses, `would` is the line to write.
   *
   * @example
   * ```ts
   * import { AgentRecord, Builtin, Registry, Turn } from "bailiwick"
   * import { MemoryRecords } from "bailiwick/node"
   * import { Effect, Logger } from "effect"
   *
   * const text = "---\nclass: agent\naccess: r\n---\nYou read records.\n"
   * const reader = AgentRecord.parse({ id: "agents/reader", file: "reader.md", text }, {})
   * const turn = Turn.make({ session: "s1", policy: AgentRecord.policy(reader), workdir: "/work" })
   * const registry = Registry.make(Builtin.createRecord)
   *
   * const { result, would } = await Effect.runPromise(
   *   registry
   *     .explain(turn, registry.call("create_record", { id: "notes/today", class: "note" }))
   *     .pipe(Effect.provide(MemoryRecords.layer()), Effect.provide(Logger.remove(Logger.defaultLogger)))
   * )
   * console.log(result.ok ? "allowed" : result.error)
   * console.log(`write at ${would?.file}:${would?.line}: ${would?.written}`)
   * ```
   *
   * ```text output
   * RECORD_NOT_REACHABLE: create not permitted for notes/today of class note
   * write at reader.md:3: records.create{classes=[note]}
   * ```
   */
  explain(turn: Turn, call: Call): Effect.Effect<Explained, never, Required> {
    return Effect.flatMap(Effect.context<never>(), (ambient) =>
      explainCall(this.sessionOf(turn, ambient, false), this.byName, call)
    )
  }

  /**
   * Executes calls side by side, each in a Context of exactly the services that its tool declares, met with what the
   * turn's policy allows, and of those that it lists. The results are in the order of the calls. It never fails: a
   * refusal or a mistake is a result too. It takes the backends from the Context of the program that runs it, and
   * requires the application services of its tools.
   *
   * @example
   * ```ts
   * import { Builtin, Personality, Registry, Turn } from "bailiwick"
   * import { NodeFiles } from "bailiwick/node"
   * import { Effect, Logger } from "effect"
   *
   * const workdir = process.cwd()
   * const config = { file: "config.yaml", text: "id: nobody" }
   * const policy = Personality.policy(Personality.parseSync({ config }, { workdir }))
   * const registry = Registry.make(Builtin.writeFile)
   *
   * const program = Effect.gen(function* () {
   *   const turn = Turn.make({ session: "s1", policy, workdir })
   *   const call = registry.call("write_file", { path: "/etc/passwd", content: "" })
   *   const [{ result }] = yield* registry.execute(turn, [call])
   *   return result.ok ? "written" : result.error
   * })
   *
   * console.log(
   *   await Effect.runPromise(
   *     program.pipe(Effect.provide(NodeFiles.layer()), Effect.provide(Logger.remove(Logger.defaultLogger)))
   *   )
   * )
   * ```
   *
   * ```text output
   * PATH_NOT_REACHABLE: write not permitted for /etc/passwd
   * ```
   */
  execute<const Calls extends ReadonlyArray<Call>>(
    turn: Turn,
    calls: Calls,
    options: ExecuteOptions = noOptions
  ): Effect.Effect<Results<Calls>, never, Required> {
    // Whoever is interrupted between the start of a call and the wait for it would leave it behind.
    const run = Effect.uninterruptibleMask<ReadonlyArray<Result>, never, never>((restore) => {
      const fiber = inside()
      const session = this.session(turn, fiber.currentContext)
      const preparing = prepare(session, this.byName, calls)
      return preparing === undefined
        ? dispatch(session, this.own, options, nothingToAsk, calls, fiber, restore)
        : Effect.flatMap(restore(preparing), (available) =>
            dispatch(session, this.own, options, available, calls, fiber, restore)
          )
    })
    // One result for each call, at its index: that is what `Results` says, and what an array cannot.
    return run as Effect.Effect<ReadonlyArray<unknown>> as Effect.Effect<Results<Calls>>
  }

  /**
   * Ends a session: ends the servers that were started for it, and removes the entries that tools have stored for it and the
   * attachments that the backend keeps for it. Without these backends there is nothing to remove.
   */
  endSession(session: string): Effect.Effect<void, StorageError | AttachmentsError> {
    const served = Effect.forEach(this.atEnd, (ended) => ended(session), { discard: true })
    const entries = Effect.flatMap(Effect.serviceOption(StorageBackend), (backend) => {
      this.cache.clear(session, this.byName.values())
      return Option.isNone(backend) ? Effect.void : backend.value.clear(sessionNamespace(session))
    })
    const attachments = Effect.flatMap(
      Effect.serviceOption(AttachmentsBackend),
      (backend) => (Option.isNone(backend) ? undefined : backend.value.clear?.(session)) ?? Effect.void
    )
    // None is left because of another.
    const cleared = Effect.flatMap(Effect.exit(attachments), (exit) => Effect.zipRight(entries, exit))
    return Effect.ensuring(cleared, served)
  }

  /**
   * Cancels the running call with this id, or all running calls of the turn. They settle as `interrupted`. The answer
   * says whether there was a call to cancel.
   */
  cancel(turn: Turn, id?: string): Effect.Effect<boolean> {
    return Effect.sync(() =>
      (this.sessions.get(turn) ?? []).map((session) => session.cancel(id)).includes(true)
    )
  }
}

interface Considered {
  readonly tool: Tool.Any
  readonly missing: Missing | undefined
}

const whyNot = (session: Session, available: Availability, tool: Tool.Any): Missing | undefined => {
  const { plan, turn } = session
  const { name } = tool
  const missing = (why: string, needs: ReadonlyArray<Capability> = []): Missing => ({ name, why, needs })
  if (turn.exclude.has(name)) return missing("it is not available on this surface")
  if (!plan.offers(name)) return missing(plan.remedyFor(name))
  const unheld = plan.unheld(name)
  if (unheld !== undefined) return missing(unheld.why, unheld.needs)
  const lacking = plan.lacking(tool)
  if (lacking.length > 0) return missing(`the policy gives it nothing of ${lacking.join(" or ")}`, lacking)
  if (available.get(tool) === false) return missing("it says that it cannot work here")
  const made = session.contextOf(tool)
  if (made?._tag === "Right") return undefined
  return missing(made === undefined ? "it is not ready" : made.left.message)
}

const itemOf = (tool: Tool.Any): Item => ({
  name: tool.name,
  description: tool.description,
  parameters: Tool.jsonSchema(tool),
  readOnly: tool.readOnly,
  outputIsUntrusted: tool.outputIsUntrusted,
  category: tool.category,
  surface: Tool.surface(tool)
})

/**
 * Makes a registry of these tools. Throws a `RegistryError` when one is malformed or a name is taken twice.
 *
 * @example
 * ```ts
 * import { Builtin, Registry } from "bailiwick"
 *
 * const registry = Registry.make(...Builtin.builtins)
 * console.log(registry.tools.has("read_file"))
 * ```
 *
 * ```text output
 * true
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <const Tools extends ReadonlyArray<Tool.Any>>(...tools: Tools): Registry<Tools[number]> =>
  new Registry(tools)

/**
 * As `make`, with the backends of all tools as requirements of `execute`, `menu`, `missing` and `explain`: a program that
 * does not provide one does not compile. Of tools whose type is not known it requires every backend. At run time it is
 * the same registry.
 *
 * @example
 * ```ts
 * import { Builtin, Registry, type Turn } from "bailiwick"
 * import type { Effect } from "effect"
 *
 * const registry = Registry.requiring(Builtin.kvGet)
 *
 * export const menu = (turn: Turn.Turn): Effect.Effect<unknown> => registry.menu(turn)
 * // error: Type 'StorageBackend' is not assignable to type 'never'
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const requiring = <const Tools extends ReadonlyArray<Tool.Any>>(
  ...tools: Tools
): Registry<Tools[number], Tool.AppServices<Tools[number]> | BackendsFor<Tools[number]>> =>
  new Registry(tools)

type BackendsFor<T extends Tool.Any> = T extends unknown ? BackendsOf<T["capabilities"]> : never

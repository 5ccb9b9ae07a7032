/**
 * What a tool is: a name and words for a model, schemas, a declaration of what it touches, and an effect that the
 * types hold to that declaration.
 *
 * @since 0.1.0
 */
import { Context, Duration, Effect, type JSONSchema, ParseResult, Schema } from "effect"
import { Capabilities, ofItself, type ServicesOf, walk } from "../capabilities/Capabilities.js"
import type { Dynamic } from "../capabilities/Literals.js"
import type { Capability } from "../policy/lattice/Facets.js"
import { isToolName } from "../policy/ToolOrigin.js"
import * as Listing from "./AppServices.js"
import type { Ask } from "./Ask.js"
import type { Checked, CheckedExact, Execute } from "./checked.js"
import type { Draft } from "./draft.js"
import type { FailureOf, Pending, RequirementsOf, SuccessOf } from "./effects.js"
import type { Undeclared } from "./generic.js"
import type { AnySchema, Given } from "./given.js"
import type { AnyTag, Listed, ListedExact, RequiredOf } from "./listed.js"
import { closed, isObject, jsonSchemaOf } from "./Parameters.js"
import { Progress } from "./Progress.js"
import { surfaceOf } from "./Surface.js"

export type { Dynamic } from "../capabilities/Literals.js"
export type { Capability } from "../policy/lattice/Facets.js"
export type { Declared, DeclaredExact, Execute } from "./checked.js"
export type { Draft } from "./draft.js"
export type { Pending } from "./effects.js"
export type { AnySchema } from "./given.js"
export type { AnyTag } from "./listed.js"

/** Freezes plain data all the way down, in place. */
const deepFreeze = <A>(value: A): A => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key))
  }
  return value
}

/**
 * @since 0.1.0
 * @category symbols
 */
export const TypeId: unique symbol = Symbol.for("bailiwick/Tool")

/**
 * @since 0.1.0
 * @category symbols
 */
export type TypeId = typeof TypeId

/**
 * Thrown by the constructors: a tool that is not well formed is a mistake of its author, found when it is loaded.
 *
 * @since 0.1.0
 * @category errors
 */
export class ToolDefinitionError extends Schema.TaggedError<ToolDefinitionError>(
  "bailiwick/ToolDefinitionError"
)("ToolDefinitionError", {
  code: Schema.Literal(
    "NAME_INVALID",
    "DESCRIPTION_INVALID",
    "PARAMETERS_INVALID",
    "CAPABILITIES_INVALID",
    "SERVICES_INVALID",
    "OPTION_INVALID",
    "EXECUTE_INVALID"
  ),
  detail: Schema.String
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

/**
 * A schema of `A` that needs no services. Any `Schema` is one; to ask for less than a `Schema` spares the compiler
 * most of the comparison.
 *
 * @since 0.1.0
 * @category models
 */
export interface SchemaOf<out A> {
  readonly Type: A
  readonly Context: never
}

/**
 * What a host wants to know of a tool beside its schemas, with every default filled in.
 *
 * @since 0.1.0
 * @category models
 */
export interface Metadata {
  readonly description: string
  /** How long a call may take; without it, the host decides. */
  readonly deadline: Duration.Duration | undefined
  /** How many characters of a result the model sees; without it, the host decides. */
  readonly resultLimit: number | undefined
  /** Whether a call changes nothing. */
  readonly readOnly: boolean
  /** Whether a call that was made twice leaves things as one would have. */
  readonly idempotent: boolean
  readonly category: string | undefined
  /** Whether the output holds text of strangers, to be shown to the model as such. */
  readonly outputIsUntrusted: boolean
  /** Whether an answer may be given again to the same call in the same session, under the same policy. */
  readonly cache: boolean
  /** A tool that may do none of these can do nothing; without a list, it needs something of each category. */
  readonly needs: ReadonlyArray<Capability> | undefined
  /** Whether the tool can work here at all, asked before it is offered or called. */
  readonly isAvailable: (() => boolean | Effect.Effect<boolean>) | undefined
}

/**
 * `Args`, `Success`, `Failure` and `AppServices` exist in types only.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tool<
  out Name extends string,
  in out Args,
  out A,
  out E,
  in out Caps,
  out App = never,
  out Parameters = Schema.Schema.AnyNoContext
> extends Metadata {
  readonly [TypeId]: TypeId
  readonly Args: Args
  readonly Success: A
  readonly Failure: E
  readonly AppServices: App
  readonly name: Name
  readonly parameters: Parameters
  readonly success: Schema.Schema.AnyNoContext | undefined
  readonly failure: Schema.Schema.AnyNoContext | undefined
  readonly capabilities: Caps
  /** The keys of the application services that it lists. */
  readonly services: ReadonlyArray<string>
  readonly asks: ((args: Args) => ReadonlyArray<Ask>) | undefined
  readonly execute: (args: Args) => Effect.Effect<A, E, ServicesOf<Caps> | App>
}

/**
 * Any tool. Tools are compared to it by variance, so that nothing of their declaration is worked out.
 *
 * @since 0.1.0
 * @category models
 */
// biome-ignore lint/suspicious/noExplicitAny: both are compared in both directions, and only any fits both
export type Any = Tool<string, any, unknown, unknown, any, unknown>

/**
 * @since 0.1.0
 * @category type-level
 */
export type Name<T extends Any> = T["name"]

/**
 * @since 0.1.0
 * @category type-level
 */
export type Args<T extends Any> = T["Args"]

/**
 * @since 0.1.0
 * @category type-level
 */
export type Success<T extends Any> = T["Success"]

/**
 * @since 0.1.0
 * @category type-level
 */
export type Failure<T extends Any> = T["Failure"]

/**
 * All that a tool requires: the services of its declaration, and those that it lists.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Services<T extends Any> = ServicesOf<T["capabilities"]> | AppServices<T>

/**
 * The application services that a tool lists. Of a tool whose type is not known they are not known either: then this
 * is `never`, and a call of it is `not_available` where one is not there.
 *
 * @since 0.1.0
 * @category type-level
 */
export type AppServices<T extends Any> = T extends unknown ? Known<T["AppServices"]> : never

/**
 * Application services, where a type says which.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Known<App> = unknown extends App ? never : App

/**
 * What a tool is made of. `Declared` and `Executed` are the types of the two options that are checked against each
 * other: the option's own type, or the complaint about it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<
  Name extends string,
  Parameters extends AnySchema,
  S,
  FE,
  Declared,
  Executed,
  Services = unknown
> {
  /** What a model calls it by: 1 to 64 letters, digits, `_` or `-`. */
  readonly name: Name
  /** What it does, in words for the model that chooses among tools. */
  readonly description: string
  /**
   * What it takes: any schema that decodes an object, such as a `Schema.Struct`, a `Schema.Class`, or a union of them. It
   * types the argument of `execute`, checks what a model sends, and becomes the JSON Schema that the model is shown.
   */
  readonly parameters: Given<Parameters>
  /** What it answers with. Without one, whatever `execute` gives is the answer. */
  readonly success?: SchemaOf<S>
  /** What it may fail with, beside the failures of the capabilities themselves. */
  readonly failure?: SchemaOf<FE>
  /**
   * What it touches, category by category: `network`, `secrets`, `storage`, `fs_reach`, `process`, `attachments`,
   * `records`, `agents`. `{}` is nothing at all. What `execute` uses and this does not declare is a compile error.
   */
  readonly capabilities: Declared
  /**
   * Tags of the application services that it uses: a database, a mailer. Whoever runs it provides them, and answers for
   * what they touch: no policy is asked about that. A service that `execute` uses and this does not list is a compile
   * error.
   *
   * @example
   * ```ts
   * import { Tool } from "bailiwick"
   * import { Context, Effect, Schema } from "effect"
   *
   * class Db extends Context.Tag("app/Db")<Db, { readonly count: (table: string) => Effect.Effect<number> }>() {}
   *
   * const countRows = Tool.make({
   *   name: "count_rows",
   *   description: "Counts the rows of a table",
   *   parameters: Schema.Struct({ table: Schema.String }),
   *   capabilities: {},
   *   services: [Db],
   *   execute: ({ table }) => Effect.flatMap(Db, (db) => db.count(table))
   * })
   *
   * const program = Effect.provideService(Tool.run(countRows, { table: "orders" }), Db, {
   *   count: () => Effect.succeed(3)
   * })
   * console.log(await Effect.runPromise(program))
   * ```
   *
   * ```text output
   * 3
   * ```
   */
  readonly services?: Services
  /** What it does with its arguments. It gets what `capabilities` declares and `services` lists, and nothing else. */
  readonly execute: Executed
  /** How long a call may take, as in `"30 seconds"`. Without it, the turn decides. */
  readonly deadline?: Duration.DurationInput
  /** How many characters of an answer the model sees. Without it, the turn decides. */
  readonly resultLimit?: number
  /** `true` when a call changes nothing. */
  readonly readOnly?: boolean
  /**
   * `true` when a call that is made twice leaves things as one would have: it sets a value, it does not add one. Whoever
   * cannot know whether a call came through may make it again.
   */
  readonly idempotent?: boolean
  /** A heading to list it under, for menus. */
  readonly category?: string
  /** `true` when the answer holds text of strangers: a page, a mail, a file that somebody sent. */
  readonly outputIsUntrusted?: boolean
  /** `true` when the same call may be answered from before, in the same session and under the same policy. */
  readonly cache?: boolean
  /** Capabilities of which any one makes it useful. Without a list, it needs something of each category it declares. */
  readonly needs?: ReadonlyArray<Capability>
  /** Whether it can work here at all. It is asked before the tool is offered or called. */
  readonly isAvailable?: () => boolean | Effect.Effect<boolean>
  /** What a call will ask for, as far as its arguments tell, so that `explain` can answer without running it. */
  readonly asks?: (args: NoInfer<Parameters["Type"]>) => ReadonlyArray<Ask>
}

/**
 * A tool. What `execute` uses must be declared in `capabilities`, and what it fails with in `failure`; the failures
 * of the capabilities themselves need no declaration.
 *
 * @example
 * ```ts
 * import { Network, Tool } from "bailiwick"
 * import { Schema } from "effect"
 *
 * export const forecast = Tool.make({
 *   name: "forecast",
 *   description: "The forecast for a point",
 *   parameters: Schema.Struct({ lat: Schema.Number, lon: Schema.Number }),
 *   capabilities: { network: { allowedHosts: ["api.weather.gov"] } },
 *   execute: ({ lat, lon }) => Network.get(`https://api.weather.gov/points/${lat},${lon}`)
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: <
  const Name extends string,
  Parameters extends AnySchema,
  S = unknown,
  FE = never,
  X extends Effect.Effect<S, Pending, Pending> = Effect.Effect<S, Pending, Pending>,
  const Caps extends Draft = Draft,
  const Tags extends ReadonlyArray<AnyTag> = readonly []
>(
  options: Options<
    Name,
    Parameters,
    S,
    FE,
    Checked<X, Caps, Tags>,
    Execute<Undeclared, Parameters, X, FE, Caps, Tags>,
    Listed<Tags>
  >
) => Tool<
  Name,
  Parameters["Type"],
  unknown extends S ? SuccessOf<X> : S,
  FailureOf<X>,
  Caps,
  RequiredOf<Tags>,
  Parameters
> = (options) => define(options)

/**
 * As `make`, and whatever is declared or listed must also be used.
 *
 * @example
 * ```ts
 * import { Network, Tool } from "bailiwick"
 * import { Schema } from "effect"
 *
 * export const status = Tool.exact({
 *   name: "status",
 *   description: "Whether the service is up",
 *   parameters: Schema.Struct({}),
 *   capabilities: { network: { allowedHosts: ["status.example.com"] }, secrets: ["LEFT_OVER"] },
 *   // error: declared but never used: secrets 'LEFT_OVER'
 *   execute: () => Network.get("https://status.example.com/")
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const exact: <
  const Name extends string,
  Parameters extends AnySchema,
  S = unknown,
  FE = never,
  X extends Effect.Effect<S, Pending, Pending> = Effect.Effect<S, Pending, Pending>,
  const Caps extends Draft = Draft,
  const Tags extends ReadonlyArray<AnyTag> = readonly []
>(
  options: Options<
    Name,
    Parameters,
    S,
    FE,
    CheckedExact<X, Caps, Tags>,
    Execute<Undeclared, Parameters, X, FE, Caps, Tags>,
    ListedExact<RequirementsOf<X>, Tags>
  >
) => Tool<
  Name,
  Parameters["Type"],
  unknown extends S ? SuccessOf<X> : S,
  FailureOf<X>,
  Caps,
  RequiredOf<Tags>,
  Parameters
> = (options) => define(options)

/**
 * Hosts, secrets, binaries or paths that only the run time knows: from configuration, or from a loop over tenants. At
 * run time the tool declares exactly these, and they are read when it is made. Its types know the category alone: a
 * literal that `execute` uses is then checked at run time, as whatever is not literal is.
 *
 * @example
 * ```ts
 * import { Network, Tool } from "bailiwick"
 * import { Schema } from "effect"
 *
 * export const searchFor = (hosts: ReadonlyArray<string>) =>
 *   Tool.make({
 *     name: "search",
 *     description: "Searches the hosts of this installation",
 *     parameters: Schema.Struct({ host: Schema.String, query: Schema.String }),
 *     capabilities: { network: { allowedHosts: Tool.dynamic(hosts) } },
 *     execute: ({ host, query }) => Network.get(`https://${host}/search?q=${encodeURIComponent(query)}`)
 *   })
 *
 * console.log(Tool.surface(searchFor(["docs.example.com", "wiki.example.com"])))
 * ```
 *
 * ```text output
 * [ 'network: docs.example.com, wiki.example.com' ]
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const dynamic: {
  (one: string): Dynamic
  (all: ReadonlyArray<string>): ReadonlyArray<Dynamic>
} = (given: string | ReadonlyArray<string>): never => given as never

/**
 * @since 0.1.0
 * @category guards
 */
export const isTool = (value: unknown): value is Any =>
  typeof value === "object" && value !== null && made.has(value)

/** A copy with another declaration is no tool: only what the constructors made is. */
const made = new WeakSet<object>()

/**
 * Runs a tool with arguments that are already decoded. It requires the services of the declaration, and those that the
 * tool lists: in a test, mocks.
 *
 * @example
 * ```ts
 * import { Files, Tool } from "bailiwick"
 * import { Effect, Schema } from "effect"
 *
 * const readNote = Tool.make({
 *   name: "read_note",
 *   description: "Reads a note",
 *   parameters: Schema.Struct({ name: Schema.String }),
 *   capabilities: { fs_reach: { read: ["/notes"] } },
 *   execute: ({ name }) => Files.read(`/notes/${name}.md`)
 * })
 *
 * const program = Tool.run(readNote, { name: "milk" }).pipe(
 *   Effect.provide(Files.mock({ "/notes/milk.md": "Buy milk" }))
 * )
 * console.log(await Effect.runPromise(program))
 * ```
 *
 * ```text output
 * Buy milk
 * ```
 *
 * @since 0.1.0
 * @category execution
 */
export const run = <Name extends string, Args, A, E, Caps, App>(
  tool: Tool<Name, Args, A, E, Caps, App>,
  args: Args
): Effect.Effect<A, E, ServicesOf<Caps> | App> =>
  Effect.mapInputContext(
    Effect.suspend(() => tool.execute(args)),
    (context: Context.Context<ServicesOf<Caps> | App>) => only(context, tool)
  )

/** Of a Context, what a tool declares and lists, and who hears of progress: it sees nothing else of its caller's. */
const only = <R>(context: Context.Context<R>, { capabilities, services }: Any): Context.Context<R> => {
  const declared = walk(ofItself(capabilities), ({ tags }) => tags.map(({ key }) => key)).flat()
  const keys = [Progress.key, ...declared, ...services]
  return Context.unsafeMake(new Map([...context.unsafeMap].filter(([key]) => keys.includes(key))))
}

/**
 * Arguments as a model writes them, decoded. Keys that are not parameters are errors, as in the JSON Schema.
 *
 * @since 0.1.0
 * @category execution
 */
export const decodeArgs = <Name extends string, Args, A, E, Caps>(
  tool: Tool<Name, Args, A, E, Caps, unknown>,
  input: unknown
): Effect.Effect<Args, ParseResult.ParseError> =>
  Effect.mapInputContext(
    Schema.decodeUnknown(closed(tool.parameters) as Schema.Schema<Args, unknown>)(input, {
      onExcessProperty: "error"
    }),
    () => Context.empty()
  )

/**
 * Says how far a tool has come. It requires nothing, and nobody has to listen.
 *
 * @example
 * ```ts
 * import { Tool } from "bailiwick"
 * import { Effect, Schema } from "effect"
 *
 * export const count = Tool.make({
 *   name: "count",
 *   description: "Counts to a number",
 *   parameters: Schema.Struct({ to: Schema.Int }),
 *   capabilities: {},
 *   execute: ({ to }) =>
 *     Effect.forEach(Array.from({ length: to }), (_, i) => Tool.progress("counting", { done: i + 1, total: to }), {
 *       discard: true
 *     })
 * })
 * ```
 *
 * @since 0.1.0
 * @category progress
 */
export const progress = (
  message: string,
  options?: { readonly done?: number; readonly total?: number }
): Effect.Effect<void> => Effect.flatMap(Progress, (listener) => listener.report({ message, ...options }))

/**
 * The JSON Schema of the parameters, for the model.
 *
 * @since 0.1.0
 * @category description
 */
export const jsonSchema = (tool: Any): JSONSchema.JsonSchema7Root =>
  JSON.parse(shapes.get(tool) ?? JSON.stringify(jsonSchemaOf(tool.parameters)))

/** The parameters of tools as JSON: what a tool's schema holds is looked at once, when the tool is made. */
const shapes = new WeakMap<object, string>()

/**
 * The declared surface in words, one line for each category and direction, and one for the services.
 *
 * @since 0.1.0
 * @category description
 */
export const surface = (tool: Any): ReadonlyArray<string> => surfaceOf(tool)

const shapeOf = (parameters: Schema.Schema.AnyNoContext): string | undefined => {
  try {
    return JSON.stringify(jsonSchemaOf(parameters))
  } catch {
    return undefined
  }
}

const decodeCapabilities = Schema.decodeUnknownEither(Capabilities)

/** The check of the types, again for whoever came past them, and the only place where a tool is built. */
const define = (
  options: Omit<Options<string, AnySchema, unknown, unknown, unknown, unknown>, "parameters" | "asks"> & {
    readonly parameters: unknown
    readonly asks?: unknown
  }
  // biome-ignore lint/suspicious/noExplicitAny: the constructors say what the tool is; here it is only put together
): any => {
  const refuse = (code: ToolDefinitionError["code"], words: string): never => {
    throw new ToolDefinitionError({ code, detail: `tool '${String(options.name)}' ${words}` })
  }
  for (const [name, schema] of Object.entries({ success: options.success, failure: options.failure })) {
    if (schema !== undefined && !Schema.isSchema(schema))
      refuse("OPTION_INVALID", `has a ${name} that is not a Schema`)
  }
  if (typeof options.name !== "string" || !isToolName(options.name)) {
    refuse("NAME_INVALID", "has a name that is not 1 to 64 letters, digits, '_' or '-'")
  }
  if (typeof options.description !== "string" || options.description.trim() === "") {
    refuse("DESCRIPTION_INVALID", "has no description")
  }
  const { parameters } = options
  if (!Schema.isSchema(parameters)) {
    return refuse("PARAMETERS_INVALID", "has parameters that are not a Schema: write Schema.Struct({ … })")
  }
  const schema = parameters as Schema.Schema.AnyNoContext
  if (!isObject(schema)) {
    refuse(
      "PARAMETERS_INVALID",
      "has parameters that are not an object: give a Schema.Struct, a Schema.Class, or a union of them"
    )
  }
  const shape = shapeOf(schema)
  if (shape === undefined) {
    return refuse("PARAMETERS_INVALID", "has parameters that cannot be shown to a model as JSON Schema")
  }
  if (typeof options.execute !== "function") refuse("EXECUTE_INVALID", "has no function 'execute'")
  for (const [name, given] of Object.entries({ isAvailable: options.isAvailable, asks: options.asks })) {
    if (given !== undefined && typeof given !== "function")
      refuse("OPTION_INVALID", `has an ${name} that is not a function`)
  }
  const deadline = options.deadline === undefined ? undefined : Duration.decodeUnknown(options.deadline)
  if (
    deadline?._tag === "None" ||
    (deadline?._tag === "Some" && Duration.lessThanOrEqualTo(deadline.value, 0))
  ) {
    refuse("OPTION_INVALID", "has a deadline that is not a positive duration")
  }
  if (
    options.resultLimit !== undefined &&
    !(Number.isInteger(options.resultLimit) && options.resultLimit > 0)
  ) {
    refuse("OPTION_INVALID", "has a resultLimit that is not a positive whole number")
  }
  if (options.category !== undefined && typeof options.category !== "string") {
    refuse("OPTION_INVALID", "has a category that is not a text")
  }
  for (const name of ["readOnly", "idempotent", "outputIsUntrusted", "cache"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      refuse("OPTION_INVALID", `has a ${name} that is neither true nor false`)
  }
  const capabilities = decodeCapabilities(options.capabilities)
  if (capabilities._tag === "Left") {
    // Where a value may have one of several shapes, the issue that got furthest speaks of the one that was meant.
    const issue = ParseResult.ArrayFormatter.formatErrorSync(capabilities.left).reduce((best, one) =>
      one.path.length > best.path.length ? one : best
    )
    const place = ["capabilities", ...issue.path].map(String).join(".")
    return refuse("CAPABILITIES_INVALID", `has malformed capabilities: ${place}: ${issue.message}`)
  }
  if (capabilities.right.network?.for !== undefined && capabilities.right.process === undefined) {
    refuse("CAPABILITIES_INVALID", "has a network for children, and no process that would start any")
  }
  const services = Listing.read(options.services)
  if (services._tag === "Left") return refuse("SERVICES_INVALID", `has wrong services: ${services.left}`)
  const tool = Object.freeze({
    [TypeId]: TypeId,
    name: options.name,
    description: options.description,
    parameters: options.parameters,
    success: options.success,
    failure: options.failure,
    // Decoding has copied it: what the author still holds is another object.
    capabilities: deepFreeze(capabilities.right),
    services: services.right,
    execute: options.execute,
    deadline: deadline?._tag === "Some" ? deadline.value : undefined,
    resultLimit: options.resultLimit,
    readOnly: options.readOnly ?? false,
    idempotent: options.idempotent ?? false,
    category: options.category,
    outputIsUntrusted: options.outputIsUntrusted ?? false,
    cache: options.cache ?? false,
    needs: options.needs === undefined ? undefined : Object.freeze([...options.needs]),
    isAvailable: options.isAvailable,
    asks: options.asks
  })
  made.add(tool)
  shapes.set(tool, shape)
  return tool
}

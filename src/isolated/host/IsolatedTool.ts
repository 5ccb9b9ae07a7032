/**
 * A tool of a module, made from its description: everything but what it does is here.
 *
 * @since 0.1.0
 */
import { type Context, Effect, Either, Schema } from "effect"
import { ofItself, walk } from "../../capabilities/Capabilities.js"
import * as Sandbox from "../../policy/Sandbox.js"
import type { InputInvalid } from "../../registry/InputInvalid.js"
import { NotAvailable } from "../../registry/NotAvailable.js"
import { anyObject } from "../../tools/AnyObject.js"
import type { Ask } from "../../tools/Ask.js"
import { Calling, type Isolation, isolated } from "../../tools/Isolation.js"
import * as Tool from "../../tools/Tool.js"
import { ofCategories, operationsIn } from "../protocol/Tables.js"
import { answerOf } from "./answer.js"
import { asksOf } from "./asks.js"
import type { Described } from "./Description.js"
import { IsolatedError } from "./IsolatedError.js"
import { ask, type Job } from "./job.js"
import type { Limits } from "./Limits.js"
import { ofCategory, type Served } from "./Operating.js"
import type { Pool } from "./Pool.js"
import type { Worker } from "./Worker.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Kit {
  readonly pool: Pool
  readonly limits: Limits
  readonly name: string
  readonly services: ReadonlyMap<string, Tool.AnyTag>
  readonly holding: Isolation["holding"]
  readonly enclosed: Isolation["enclosed"]
  /** Whether a worker describes a tool as it was accepted. */
  readonly isSame: (worker: Worker, one: Described) => boolean
}

const refused = (detail: string) => new IsolatedError({ code: "SERVICE_NOT_SERIALISABLE", detail })

/**
 * The tags of the services that tools list; what cannot be served to them is refused, in words.
 *
 * @since 0.1.0
 * @category constructors
 */
export const servicesOf = (
  tools: ReadonlyArray<Described>,
  given: ReadonlyArray<Tool.AnyTag>
): Either.Either<ReadonlyMap<string, Tool.AnyTag>, IsolatedError> => {
  const known = new Map(given.map((tag) => [tag.key, tag]))
  for (const { name, services } of tools) {
    for (const key of services) {
      const tag = known.get(key)
      if (tag === undefined) {
        return Either.left(
          refused(
            `the tool ${name} lists the service ${key}; give its tag under 'services', so that it can be served`
          )
        )
      }
      if (operationsIn(tag) === undefined) {
        return Either.left(
          refused(
            `the tool ${name} lists the service ${key}, which is not declared serialisable; give its tag 'static readonly operations' with the schemas of each method, or do not isolate the tool`
          )
        )
      }
    }
  }
  return Either.right(known)
}

const nothing: ReadonlyMap<string, Served> = new Map()

/** Of the Context of a call, what its worker may ask for. */
const servedOf = (kit: Kit, one: Described, context: Context.Context<never>): ReadonlyMap<string, Served> => {
  if (Object.keys(one.capabilities).length === 0 && one.services.length === 0) return nothing
  const served = new Map<string, Served>()
  for (const { key } of walk(ofItself(one.capabilities), ({ tags }) => tags).flat()) {
    const found = ofCategory(ofCategories.get(key)?.operations ?? {}, context.unsafeMap.get(key))
    if (found !== undefined) served.set(key, found)
  }
  for (const key of one.services) {
    const operations = operationsIn(kit.services.get(key) ?? {})
    const service: unknown = context.unsafeMap.get(key)
    if (operations !== undefined && typeof service === "object" && service !== null) {
      served.set(key, { operations, by: service })
    }
  }
  return served
}

const outside: Pick<Calling.Service, "sandbox"> & { readonly turn: object | undefined } = {
  turn: undefined,
  sandbox: Sandbox.unwritten
}

/** Does a job in the turn at hand; outside of one, in a process that is used once. */
const inWorker = <A, E>(
  kit: Kit,
  one: Described,
  job: (context: Context.Context<never>) => Job,
  read: Parameters<typeof ask<A, E>>[3]
): Effect.Effect<A, E | InputInvalid | IsolatedError | NotAvailable> =>
  Effect.withFiberRuntime((fiber) => {
    const context = fiber.currentContext as Context.Context<never>
    const calling = (context.unsafeMap.get(Calling.key) as Calling.Service | undefined) ?? outside
    return kit.pool.use(
      calling,
      (worker, left): Effect.Effect<A, E | InputInvalid | IsolatedError | NotAvailable> =>
        kit.isSame(worker, one)
          ? ask(worker, job(context), kit.limits, read, left, fiber)
          : Effect.zipRight(Effect.sync(left), Effect.fail(changed(kit, one)))
    )
  })

const changed = ({ name: from }: Kit, { name }: Described) =>
  new NotAvailable({
    tool: name,
    category: "isolated",
    detail: `Tool ${name} of ${from} does not describe itself as it did when it was accepted; look at what changed, and accept it anew: on the command line with 'bailiwick manifest'`
  })

const Available = Schema.is(Schema.Struct({ available: Schema.Literal(true) }))

/** The failures of a tool are in its worker; here they are whatever they are. */
const Failures = Schema.Unknown

/**
 * @since 0.1.0
 * @category constructors
 */
export const toolOf = (kit: Kit, one: Described): Either.Either<Tool.Any, IsolatedError> => {
  const { name } = one
  const execute = (args: unknown): Effect.Effect<unknown, unknown> =>
    inWorker(
      kit,
      one,
      (context) => ({ t: "call", tool: name, value: args, served: servedOf(kit, one, context) }),
      answerOf
    )
  const isAvailable = () =>
    Effect.catchAll(
      inWorker(
        kit,
        one,
        (context) => ({ t: "available", tool: name, value: null, served: servedOf(kit, one, context) }),
        (value) => Effect.succeed(Available(value))
      ),
      () => Effect.succeed(false)
    )
  const asks = (args: unknown): Effect.Effect<ReadonlyArray<Ask>, unknown, Calling> =>
    inWorker(kit, one, () => ({ t: "asks", tool: name, value: args, served: nothing }), asksOf)
  try {
    const tool: Tool.Any = Tool.make({
      name,
      description: one.description,
      parameters: anyObject(one.parameters),
      // Its description was read as one.
      capabilities: one.capabilities as {},
      services: one.services.flatMap((key) => kit.services.get(key) ?? []) as [],
      failure: Failures,
      readOnly: one.readOnly,
      outputIsUntrusted: one.outputIsUntrusted,
      cache: one.cache,
      ...(one.deadlineMillis === undefined ? {} : { deadline: one.deadlineMillis }),
      ...(one.resultLimit === undefined ? {} : { resultLimit: one.resultLimit }),
      ...(one.category === undefined ? {} : { category: one.category }),
      ...(one.needs === undefined ? {} : { needs: one.needs }),
      ...(one.isAvailable ? { isAvailable } : {}),
      execute
    })
    return Either.right(
      isolated(tool, {
        idempotent: one.idempotent === true,
        holding: kit.holding,
        enclosed: kit.enclosed,
        asks
      })
    )
  } catch (error) {
    return Either.left(
      new IsolatedError({
        code: "DESCRIPTION_REFUSED",
        detail:
          error instanceof Tool.ToolDefinitionError ? error.detail : `the tool ${name} is not well formed`
      })
    )
  }
}

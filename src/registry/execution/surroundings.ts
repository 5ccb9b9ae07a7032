/**
 * What a tool's fiber inherits beside its Context. Effect keeps some services outside of it: without this a tool could
 * read the environment through `Config`, and log a secret.
 */
import {
  ConfigProvider,
  Context,
  DefaultServices,
  type Fiber,
  FiberId,
  FiberRef,
  FiberRefs,
  HashMap,
  HashSet,
  List,
  Logger,
  LogSpan,
  Tracer
} from "effect"
import type { Scrubber } from "../scrub/Scrubber.js"
import type { Inherited } from "./batch.js"
import { inert } from "./data.js"
import { discreet } from "./tracer.js"

const noConfig = ConfigProvider.fromMap(new Map())

const quiet = (
  scrubber: Scrubber,
  logger: Logger.Logger<unknown, unknown>
): Logger.Logger<unknown, unknown> =>
  Logger.make(({ annotations, cause, message, spans, ...options }) =>
    logger.log({
      ...options,
      message: scrubber.value(Array.isArray(message) ? message.map(inert) : inert(message)),
      annotations: scrubber.value(HashMap.map(annotations, inert)),
      cause: scrubber.cause(cause),
      spans: List.map(spans, ({ label, startTime }) => LogSpan.make(scrubber.text(label), startTime))
    })
  )

/** All that is inherited. What is not here has its default in a tool, whatever the surrounding program set. */
const inherited = [
  DefaultServices.currentServices,
  FiberRef.currentLoggers,
  FiberRef.currentMinimumLogLevel,
  FiberRef.currentLogLevel,
  FiberRef.currentLogAnnotations,
  FiberRef.currentTracerEnabled,
  FiberRef.currentScheduler
] as const satisfies ReadonlyArray<FiberRef.FiberRef<never> | object>

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** Two of them every fiber has at hand. */
const valueOf = (fiber: AnyFiber, ref: (typeof inherited)[number]): unknown =>
  ref === DefaultServices.currentServices
    ? fiber.currentDefaultServices
    : ref === FiberRef.currentScheduler
      ? fiber.currentScheduler
      : fiber.getFiberRef(ref as FiberRef.FiberRef<unknown>)

const none = FiberRefs.empty()

const defaultOf = (ref: (typeof inherited)[number]): unknown =>
  FiberRefs.getOrDefault(none, ref as FiberRef.FiberRef<unknown>)

const given = (ref: (typeof inherited)[number], value: unknown, scrubber: Scrubber): unknown => {
  if (ref === DefaultServices.currentServices) {
    const services = value as Context.Context<DefaultServices.DefaultServices>
    return services.pipe(
      Context.add(ConfigProvider.ConfigProvider, noConfig),
      Context.add(Tracer.Tracer, discreet(scrubber, Context.get(services, Tracer.Tracer)))
    )
  }
  if (ref !== FiberRef.currentLoggers) return value
  return HashSet.map(value as HashSet.HashSet<Logger.Logger<unknown, unknown>>, (logger) =>
    quiet(scrubber, logger)
  )
}

export class Surroundings {
  private readonly from: ReadonlyArray<unknown>
  readonly given: Inherited

  constructor(fiber: AnyFiber, scrubber: Scrubber) {
    this.from = inherited.map((ref) => valueOf(fiber, ref))
    this.given = inherited.flatMap((ref, index): Inherited => {
      const value = given(ref, this.from[index], scrubber)
      return value === defaultOf(ref) ? [] : [[ref as FiberRef.FiberRef<unknown>, [[FiberId.none, value]]]]
    })
  }

  /** Whether a fiber has what these were made from. */
  areOf(fiber: AnyFiber): boolean {
    for (let i = 0; i < inherited.length; i++) {
      if (valueOf(fiber, inherited[i] as (typeof inherited)[number]) !== this.from[i]) return false
    }
    return true
  }
}

/**
 * An answer as a stream of its parts, and as a head with a body that is pulled. The stream is what crosses a process
 * boundary; where nothing is crossed it is not run as one, because running it costs more than a request on loopback.
 *
 * @since 0.1.0
 */
import { Chunk, Deferred, Effect, Exit, Option, Scope, Stream } from "effect"
import { NetworkError, type NetworkHead, type NetworkPart } from "./NetworkOperations.js"

type Head = typeof NetworkHead.Type
type Part = typeof NetworkPart.Type

/**
 * The next bytes of a body; `None` at its end.
 *
 * @since 0.1.0
 * @category models
 */
export type Pull = Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<NetworkError>>

/**
 * @since 0.1.0
 * @category models
 */
export interface Flow {
  readonly head: Head
  readonly pull: Pull
  /** All of the body, if it is here already and nothing of it was pulled: to pull it costs more. */
  readonly whole?: Effect.Effect<Uint8Array | undefined, NetworkError> | undefined
}

/**
 * Who lets go of an answer that is opened. It is told how before anything is held, so that nothing is left behind by who
 * is interrupted in between, and when there is nothing to let go of any more.
 *
 * @since 0.1.0
 * @category models
 */
export interface Keeper {
  readonly keep: (close: () => void) => void
  readonly over: () => void
}

/**
 * Opens an answer for a keeper. What it fails with, or is interrupted in, the keeper closes.
 *
 * @since 0.1.0
 * @category models
 */
export type Opening = (keeper: Keeper) => Effect.Effect<Flow, NetworkError>

/** On the stream itself: to remember it in a WeakMap would cost every collection of garbage more. */
const OPENING = Symbol("Opening")

type Parts = Stream.Stream<Part, NetworkError> & { readonly [OPENING]?: Opening }

/** Closes what it keeps, once. */
class Closing implements Keeper {
  #close: (() => void) | undefined
  #ended = false

  keep(close: () => void): void {
    if (this.#ended) close()
    else this.#close = close
  }

  over(): void {
    this.#close = undefined
  }

  end(): void {
    const close = this.#close
    this.#ended = true
    this.#close = undefined
    close?.()
  }
}

/**
 * The stream of the parts of what is opened.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (opening: Opening): Stream.Stream<Part, NetworkError> => {
  const parts: Parts = Stream.suspend(() => {
    const closing = new Closing()
    return Stream.unwrapScoped(
      Effect.zipRight(
        Effect.addFinalizer(() => Effect.sync(() => closing.end())),
        Effect.map(opening(closing), ({ head, pull }) =>
          Stream.concat(Stream.succeed<Part>(head), Stream.repeatEffectChunkOption(pull))
        )
      )
    )
  })
  return Object.assign(parts, { [OPENING]: opening })
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const closed = (): NetworkError =>
  new NetworkError({
    code: "REQUEST_FAILED",
    detail: "the answer was closed before all of its body was read; read it before closing it"
  })

const headless = () =>
  new NetworkError({ code: "REQUEST_FAILED", detail: "the network answered without a head; report it" })

/** Pulls until something comes. */
const first = (
  pull: Effect.Effect<Chunk.Chunk<Part>, Option.Option<NetworkError>>
): Effect.Effect<Chunk.Chunk<Part>, NetworkError> =>
  Effect.flatMap(
    Effect.mapError(pull, (end) => Option.getOrElse(end, headless)),
    (parts) => (Chunk.isEmpty(parts) ? first(pull) : Effect.succeed(parts))
  )

const isBytes = (part: Part): part is Uint8Array => part instanceof Uint8Array

/** Of a stream that nobody here has made. A fiber of its own holds it open, and lets go when it is told to. */
const run =
  (parts: Stream.Stream<Part, NetworkError>): Opening =>
  (keeper) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const end = Deferred.unsafeMake<void>(yield* Effect.fiberId)
      const close = () => Deferred.unsafeDone(end, Effect.void)
      keeper.keep(close)
      yield* Effect.forkDaemon(
        Effect.uninterruptible(Effect.ensuring(Deferred.await(end), Scope.close(scope, Exit.void)))
      )
      const source = yield* Scope.extend(Stream.toPull(parts), scope)
      const untilClosed = Effect.zipRight(Deferred.await(end), Effect.fail(Option.some(closed())))
      const raced = Effect.raceFirst(source, untilClosed)
      const [head, ...rest] = Chunk.toReadonlyArray(yield* first(raced))
      if (head === undefined || isBytes(head)) return yield* headless()
      let left = rest.filter(isBytes)
      const pull = Effect.suspend((): Pull => {
        if (left.length === 0) return Effect.map(raced, Chunk.filter(isBytes))
        const now = left
        left = []
        return Effect.succeed(Chunk.unsafeFromArray(now))
      })
      return {
        head,
        pull: Effect.tapError(pull, () =>
          Effect.sync(() => {
            keeper.over()
            close()
          })
        )
      }
    })

/**
 * Opens the answer that a stream of parts is.
 *
 * @since 0.1.0
 * @category destructors
 */
export const open = (parts: Stream.Stream<Part, NetworkError>): Opening =>
  (parts as Parts)[OPENING] ?? run(parts)

/** What a running command has written on one of its two outputs, and nobody has read yet. */
import { Cause, Chunk, Effect, Exit, Option, Stream } from "effect"

/** How much may lie unread before the command is held. */
const HELD_BYTES = 256 * 1024

export class Outlet<E> {
  private held: Array<Uint8Array> = []
  private heldBytes = 0
  private readers = 0
  private ended: Exit.Exit<void, E> | undefined
  private readonly waiting = new Set<() => void>()
  /** Whether output was dropped here. */
  isCut = false

  /** `isLetGo` says whether what does not fit is dropped while nobody reads, so that what else is waited for can come. */
  constructor(private readonly isLetGo: (isRead: boolean) => boolean) {}

  get isRead(): boolean {
    return this.readers > 0
  }

  /** Has all who wait look again. */
  wake(): void {
    const waiting = [...this.waiting]
    this.waiting.clear()
    for (const look of waiting) look()
  }

  private readonly change: Effect.Effect<void> = Effect.async((resume) => {
    const look = () => resume(Effect.void)
    this.waiting.add(look)
    return Effect.sync(() => this.waiting.delete(look))
  })

  /** Waits for room. */
  put(bytes: Uint8Array): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.heldBytes < HELD_BYTES) {
        this.held.push(bytes)
        this.heldBytes += bytes.length
        this.wake()
        return Effect.void
      }
      if (this.isLetGo(this.isRead)) {
        this.isCut = true
        return Effect.void
      }
      return Effect.zipRight(this.change, this.put(bytes))
    })
  }

  end(exit: Exit.Exit<void, E>): void {
    this.ended ??= exit
    this.wake()
  }

  private readonly next: Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<E>> = Effect.suspend(() => {
    if (this.held.length > 0) {
      const held = Chunk.unsafeFromArray(this.held)
      this.held = []
      this.heldBytes = 0
      this.wake()
      return Effect.succeed(held)
    }
    if (this.ended !== undefined) {
      return Exit.isSuccess(this.ended)
        ? Effect.fail(Option.none())
        : Effect.failCause(Cause.map(this.ended.cause, Option.some))
    }
    return Effect.zipRight(this.change, this.next)
  })

  /** What comes is read once: of two readers each gets a part. */
  stream(onRead: () => void): Stream.Stream<Uint8Array, E> {
    const count = (by: number) =>
      Effect.sync(() => {
        this.readers += by
        onRead()
      })
    return Stream.unwrapScoped(
      Effect.as(
        Effect.acquireRelease(count(1), () => count(-1)),
        Stream.repeatEffectChunkOption(this.next)
      )
    )
  }
}

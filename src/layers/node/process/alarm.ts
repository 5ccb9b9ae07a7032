/** A deadline by Effect's clock: a bare timer where that is the system's, which costs far less than a fiber. */
import { Clock, Context, DefaultServices, Duration, Effect, FiberId } from "effect"

const systemClock = Context.get(DefaultServices.liveServices, Clock.Clock)

/** Rings once, unless it is switched off before. */
export const alarm = (millis: number, ring: () => void): Effect.Effect<() => void> =>
  Effect.clockWith((clock) => {
    if (clock === systemClock) {
      const timer = setTimeout(ring, millis)
      return Effect.succeed(() => clearTimeout(timer))
    }
    const waiting = Effect.zipRight(clock.sleep(Duration.millis(millis)), Effect.sync(ring))
    return Effect.map(
      Effect.forkDaemon(Effect.interruptible(waiting)),
      (fiber) => () => fiber.unsafeInterruptAsFork(FiberId.none)
    )
  })

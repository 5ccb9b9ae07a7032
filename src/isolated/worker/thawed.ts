/** What a process that starts from a snapshot would else have of the moment when that was made. */
import { Clock, Context, DefaultServices, Random } from "effect"
import { PCGRandom } from "effect/Utils"

const NANOS = 1_000_000n

const seed = (): number => Math.floor(Math.random() * 2 ** 32)

export const thaw = (): void => {
  // There is none in a snapshot, and no error had a stack.
  Error.stackTraceLimit = 10
  const clock = Context.get(DefaultServices.liveServices, Clock.Clock)
  const origin = BigInt(Date.now()) * NANOS - process.hrtime.bigint()
  Object.assign(clock, { unsafeCurrentTimeNanos: () => origin + process.hrtime.bigint() })
  const random = Context.get(DefaultServices.liveServices, Random.Random)
  Object.assign(random, { PRNG: new PCGRandom(seed(), seed(), seed(), seed()) })
}

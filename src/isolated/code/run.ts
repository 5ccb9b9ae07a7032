/** A process that is held as a worker is, and writes one file. */
import { Effect } from "effect"
import type { Enclosed, Started } from "../../layers/node/sandbox/enclosure/Enclosure.js"
import type { IsolatedError } from "../host/IsolatedError.js"
import type { Store } from "./store.js"

/** Runs a stranger's code once, held as a worker is, to write a file. */
export type Run = (enclosed: Enclosed) => Effect.Effect<Started, IsolatedError>

const MOST_MILLIS = 60_000

/** How it ended; one that nobody waits for, or that takes too long, is ended. */
const ending = (started: Started): Effect.Effect<string> =>
  Effect.async((resume) => {
    const timer = setTimeout(() => started.kill(), MOST_MILLIS)
    // Nobody listens to it.
    started.socket.destroy()
    started.errors.resume()
    void started.ended.then((how) => {
      clearTimeout(timer)
      resume(Effect.succeed(how))
    })
    return Effect.sync(() => {
      clearTimeout(timer)
      started.kill()
    })
  })

export interface Written {
  /** How the process ended. */
  readonly how: string
  /** What it wrote; nothing where it did not end as it should. */
  readonly content: Buffer | undefined
  readonly keep: (name: string) => void
  readonly drop: () => void
}

/** Has a process write a file at this path of its own. */
export const written = (
  store: Store,
  run: Run,
  at: string,
  enclosed: Enclosed
): Effect.Effect<Written, IsolatedError> =>
  Effect.gen(function* () {
    const path = store.fresh()
    const drop = () => store.drop(path)
    const started = yield* run({ ...enclosed, written: { path, at } })
    const how = yield* Effect.onInterrupt(ending(started), () => Effect.sync(drop))
    const content = how === "with 0" ? store.read(path.slice(path.lastIndexOf("/") + 1)) : undefined
    return {
      how,
      content: content?.length === 0 ? undefined : content,
      drop,
      keep: (name) => store.keep(path, name)
    }
  })

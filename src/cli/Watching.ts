/** Looks again when something changes in some directories, which may come and go. */
import { type FSWatcher, statSync, watch } from "node:fs"
import { dirname } from "node:path"
import { Effect, Schedule, type Scope } from "effect"

/** Editors write a file in several steps; they are looked at together. */
const SETTLES = 50

/** Where the system tells nothing, such as on a disk of the network. */
const ANYWAY = "5 seconds"

const identityOf = (directory: string): string | undefined => {
  try {
    const found = statSync(directory, { bigint: true, throwIfNoEntry: false })
    return found?.isDirectory() === true ? `${found.dev}:${found.ino}` : undefined
  } catch {
    return undefined
  }
}

/** The directory itself, or the nearest above it that is there: what comes to be comes to be there. */
const nearest = (directory: string): string =>
  identityOf(directory) !== undefined || dirname(directory) === directory
    ? directory
    : nearest(dirname(directory))

class Watches {
  private readonly open = new Map<string, { readonly identity: string; readonly watcher: FSWatcher }>()
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly directories: () => ReadonlyArray<string>,
    private readonly look: () => void
  ) {}

  private readonly soon = (): void => {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.again()
    }, SETTLES).unref()
  }

  /** What changes while one looks is heard of: whoever looked first would miss it. */
  again(): void {
    this.renew()
    this.look()
  }

  /** A directory that was replaced is watched anew. */
  private renew(): void {
    const wanted = new Set(this.directories().map(nearest))
    for (const [directory, { identity, watcher }] of this.open) {
      if (wanted.has(directory) && identityOf(directory) === identity) continue
      watcher.close()
      this.open.delete(directory)
    }
    for (const directory of wanted) {
      const identity = identityOf(directory)
      if (identity === undefined || this.open.has(directory)) continue
      try {
        const watcher = watch(directory, { persistent: false }, this.soon)
        watcher.on("error", this.soon)
        this.open.set(directory, { identity, watcher })
      } catch {
        // As many as there may be are watched; the rest is looked at every few seconds.
      }
    }
  }

  close(): void {
    clearTimeout(this.timer)
    for (const { watcher } of this.open.values()) watcher.close()
    this.open.clear()
  }
}

export const watching = (
  directories: () => ReadonlyArray<string>,
  look: () => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const watches = yield* Effect.acquireRelease(
      Effect.sync(() => new Watches(directories, look)),
      (made) => Effect.sync(() => made.close())
    )
    const again = Effect.sync(() => watches.again())
    yield* Effect.forkScoped(Effect.repeat(again, Schedule.spaced(ANYWAY)))
  })

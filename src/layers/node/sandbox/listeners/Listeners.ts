/**
 * Sockets that listen inside the network namespace of a child, while this program accepts on them. Nothing of ours runs
 * inside, and there is no file to find. One helper makes them for all children of a layer.
 *
 * @since 0.1.0
 */
import { accessSync, constants } from "node:fs"
import type { Server } from "node:net"
import { Effect, type Scope } from "effect"
import { ProcessError } from "../../../../capabilities/process/ProcessOperations.js"
import { Helper, type Listening, type Request } from "./helper.js"
import { numbers } from "./source.js"

/**
 * Where to listen: an address of loopback, in digits, and a port.
 *
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly address: string
  readonly port: number
}

/**
 * Whose namespace it is.
 *
 * @since 0.1.0
 * @category models
 */
export interface Inhabitant {
  readonly pid: number
  /** The inode of its network namespace, where it is known: a process that has the number by now is then not entered. */
  readonly namespace?: number | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Listeners {
  /**
   * One server for each place, in their order; they listen when it answers, and are closed with the scope. Where the machine
   * is without IPv6, there is none for `::1`.
   */
  readonly listen: (
    inhabitant: Inhabitant,
    places: ReadonlyArray<Place>
  ) => Effect.Effect<ReadonlyArray<Server | undefined>, ProcessError, Scope.Scope>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The perl that the helper is run by: `/usr/bin/perl`, if it is left out. */
  readonly perl?: string | undefined
}

const PERL = "/usr/bin/perl"

const PATIENCE = "20 seconds"

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Why nobody can listen for children here, in words; nothing, where it can be done.
 *
 * @since 0.1.0
 * @category predicates
 */
export const unavailable = ({ perl = PERL }: Options = {}): string | undefined => {
  if (process.platform !== "linux" || !numbers.has(process.arch)) {
    return `children have no network on ${process.platform} ${process.arch}; use Linux on x86_64 or aarch64`
  }
  if ("bun" in process.versions || "deno" in process.versions) {
    return "children have no network where the program does not run on Node; run it on Node"
  }
  return isExecutable(perl)
    ? undefined
    : `children have no network, because ${perl} is missing; install perl-base (apt-get install perl-base)`
}

const failure = (why: string): ProcessError =>
  new ProcessError({
    code: "SPAWN_FAILED",
    detail: `the network of the command could not be set up (${why}), so it was not started; try again`
  })

/** The helper of a layer, made when it is first needed, and anew when it has died. */
class Helpers {
  #current: Helper | undefined
  readonly #perl: string

  constructor(perl: string) {
    this.#perl = perl
  }

  get(): Helper {
    if (this.#current === undefined || this.#current.isOver) {
      this.#current = new Helper(this.#perl, numbers.get(process.arch) ?? ["0", "0"])
    }
    return this.#current
  }

  close(): Promise<void> {
    return this.#current?.close() ?? Promise.resolve()
  }
}

/** A helper may be killed by anybody at any time: another one is asked, `again` and no more. */
const opened = (
  helpers: Helpers,
  request: Request,
  held: Array<Listening>,
  again: boolean
): Effect.Effect<ReadonlyArray<Listening>, ProcessError> =>
  Effect.flatten(
    Effect.async<Effect.Effect<ReadonlyArray<Listening>, ProcessError>>((resume) => {
      const callOff = helpers.get().ask(request, (answer) => {
        if (answer._tag === "Listening") held.push(...answer.servers)
        resume(
          Effect.succeed(
            answer._tag === "Listening"
              ? Effect.succeed(answer.servers)
              : answer._tag === "Lost" && again
                ? opened(helpers, request, held, false)
                : Effect.fail(failure(answer._tag === "Lost" ? "its helper ended" : answer.why))
          )
        )
      })
      return Effect.sync(callOff)
    })
  )

/**
 * The helper ends with the scope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ perl = PERL }: Options = {}): Effect.Effect<Listeners, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Helpers(perl)),
      (helpers) => Effect.promise(() => helpers.close())
    ),
    (helpers): Listeners => ({
      listen: ({ namespace = 0, pid }, places) => {
        if (places.length === 0) return Effect.succeed([])
        const request = {
          pid,
          inode: namespace,
          places: places.map(({ address, port }) => `${address}:${port}`)
        }
        return Effect.suspend(() => {
          const held: Array<Listening> = []
          const closing = Effect.sync(() => {
            for (const server of held) server?.close()
          })
          return Effect.zipRight(
            // First: whenever it is interrupted, nothing stays open.
            Effect.addFinalizer(() => closing),
            Effect.timeoutFail(opened(helpers, request, held, true), {
              duration: PATIENCE,
              onTimeout: () => failure("its helper does not answer")
            })
          )
        })
      }
    })
  )

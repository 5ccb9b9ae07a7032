/**
 * How the children of tools are held by the kernel: whether they must be, and what bounds them. What they may touch is
 * no setting: that is the authority of their tool.
 *
 * @since 0.1.0
 */

/**
 * `required`: commands run held, or not at all. `preferred`: held where that can be, otherwise with a warning in the
 * result. `off`: never held.
 *
 * @since 0.1.0
 * @category models
 */
export type Mode = (typeof modes)[number]

/**
 * The stricter first.
 *
 * @since 0.1.0
 * @category models
 */
export const modes = ["required", "preferred", "off"] as const

/**
 * What a policy writes of limits; what it does not write has the default of the backend. All are whole numbers above 0.
 *
 * @since 0.1.0
 * @category models
 */
export interface Limits {
  /** Processes and threads of one child, with all that it starts. */
  readonly processes?: number | undefined
  readonly openFiles?: number | undefined
  /** The size of a file that it writes. */
  readonly fileBytes?: number | undefined
  /** Memory: of the whole tree where cgroup v2 may be used, otherwise of each process. */
  readonly memoryBytes?: number | undefined
  /** The size of its private `/tmp`. */
  readonly tmpBytes?: number | undefined
  /** How long it may run. */
  readonly seconds?: number | undefined
  /** Connections to other machines that are open at once, and bytes both ways in all. */
  readonly connections?: number | undefined
  readonly networkBytes?: number | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Settings {
  /** Without a word, `required` where children can be held. */
  readonly mode: Mode | undefined
  readonly limits: Limits
}

/**
 * @since 0.1.0
 * @category models
 */
export const limitNames = [
  "processes",
  "openFiles",
  "fileBytes",
  "memoryBytes",
  "tmpBytes",
  "seconds",
  "connections",
  "networkBytes"
] as const satisfies ReadonlyArray<keyof Limits>

/**
 * Says nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unwritten: Settings = { mode: undefined, limits: {} }

/**
 * Settings as a program writes them: a mode, or what it says of both.
 *
 * @since 0.1.0
 * @category models
 */
export type Given = Mode | Partial<Settings>

/**
 * Settings in full. Limits that are no whole numbers above 0 are a `RangeError`: nobody must take one for a bound that
 * holds.
 *
 * @since 0.1.0
 * @category constructors
 */
export const from = (given: Given | undefined): Settings => {
  if (given === undefined) return unwritten
  if (typeof given === "string") return { mode: given, limits: {} }
  const limits: { -readonly [K in keyof Limits]: number } = {}
  for (const name of limitNames) {
    const limit = given.limits?.[name]
    if (limit === undefined) continue
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new RangeError(`the limit '${name}' of a sandbox is ${limit}; write a whole number above 0`)
    }
    limits[name] = limit
  }
  return { mode: given.mode, limits }
}

/** The strictest mode that anybody wrote: who wrote none asks for none. */
const strictest = (a: Mode | undefined, b: Mode | undefined): Mode | undefined =>
  modes.find((mode) => a === mode || b === mode)

/**
 * What holds where two policies hold together: the strictest mode, and the lower of every limit.
 *
 * @since 0.1.0
 * @category combinators
 */
export const meet = (a: Settings, b: Settings): Settings => ({
  mode: strictest(a.mode, b.mode),
  limits: Object.fromEntries(
    limitNames.flatMap((name) => {
      const written = [a.limits[name], b.limits[name]].filter((limit) => limit !== undefined)
      return written.length === 0 ? [] : [[name, Math.min(...written)]]
    })
  )
})

/**
 * What a child would inherit of this program beside its own descriptors: whatever is open here without close-on-exec,
 * because another program left it open or native code opened it. Node has no way to close these, so they are covered.
 *
 * @since 0.1.0
 */
import { closeSync, openSync, readdirSync, readSync } from "node:fs"

/**
 * Says that a child was not started, because it would have inherited what is not its own.
 *
 * @since 0.1.0
 * @category errors
 */
export class Inherits extends Error {}

/** How the system says close-on-exec, in octal digits. */
const CLOSES_ON_EXEC = 0o2000000

/** A child's table is written up to the last that is covered: what is past this is refused. */
const HIGHEST = 65_536

const info = Buffer.alloc(256)

const flagsOf = (number: number): string | undefined => {
  const file = openSync(`/proc/self/fdinfo/${number}`, "r")
  try {
    return /^flags:\s*([0-7]+)$/m.exec(
      info.toString("latin1", 0, readSync(file, info, 0, info.length, 0))
    )?.[1]
  } finally {
    closeSync(file)
  }
}

/**
 * One that was closed since it was listed closes too, as the one does that the list was read with. Another thread may
 * close it at any moment, also after its information was opened: reading that then fails as opening it would.
 */
const closesOnExec = (number: number): boolean => {
  try {
    const flags = flagsOf(number)
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) !== 0
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return true
    throw error
  }
}

/**
 * Those that do not close by themselves. All are looked at before every start: a number may have been closed and opened
 * again since the last one.
 */
const leaking = (own: number): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((number) => number >= own && !closesOnExec(number))
  } catch (cause) {
    throw new Inherits("what is open cannot be told", { cause })
  }
}

const coverOf = (numbers: ReadonlyArray<number>, own: number, nothing: number) => {
  const cover = new Array<number | "ignore">(Math.max(...numbers) + 1 - own).fill("ignore")
  for (const number of numbers) cover[number - own] = nothing
  return cover
}

/**
 * Starts a child that has `own` descriptors. `start` is given what else stands in its table: `/dev/null` in place of each
 * descriptor that it would inherit. Throws `Inherits` where that cannot be done.
 *
 * On macOS Node itself has the system close everything, and elsewhere nobody can tell what is open.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withoutInherited = <A>(own: number, start: (rest: ReadonlyArray<number | "ignore">) => A): A => {
  if (process.platform !== "linux") return start([])
  const numbers = leaking(own)
  if (numbers.length === 0) return start([])
  const highest = Math.max(...numbers)
  if (highest > HIGHEST) throw new Inherits(`descriptor ${highest}`)
  const nothing = openSync("/dev/null", "r+")
  try {
    return start(coverOf(numbers, own, nothing))
  } finally {
    closeSync(nothing)
  }
}

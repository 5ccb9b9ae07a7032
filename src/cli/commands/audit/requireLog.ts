/** A file that somebody names may be anything. One that has nothing of a log in its beginning is refused. */
import { closeSync, openSync, readSync } from "node:fs"
import { CliError } from "../../CliError.js"

const ENOUGH = 256 * 1024

const beginning = (file: string): string | undefined => {
  let descriptor: number
  try {
    descriptor = openSync(file, "r")
  } catch {
    // Whoever reads it says why.
    return undefined
  }
  try {
    const bytes = Buffer.alloc(ENOUGH)
    return new TextDecoder().decode(bytes.subarray(0, readSync(descriptor, bytes, 0, ENOUGH, 0)))
  } catch {
    return undefined
  } finally {
    closeSync(descriptor)
  }
}

/** So begins an entry that is cut off, at the end of what was looked at or by who wrote it. */
const CUT_OFF = /^\{"v":\d/

/** An entry of any version. Its keys may come in another order where somebody sorted them. */
const isEntry = (line: string): boolean => {
  if (CUT_OFF.test(line)) return true
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null && "v" in value && "time" in value && "type" in value
  } catch {
    return false
  }
}

/** Throws a `CliError` that names the file. */
export const requireLog = (file: string, name: string): void => {
  const text = beginning(file)
  if (text === undefined || text.trim() === "" || text.split("\n").some(isEntry)) return
  throw new CliError(
    `AUDIT_UNREADABLE: ${name} is no audit log; name files that 'bailiwick' wrote, such as .bailiwick/audit/2026-01-31.jsonl`
  )
}

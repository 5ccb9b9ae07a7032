/** Small files that were read: settings of git, and what leads to them. What is kept is used while the file has not changed. */
import * as fs from "node:fs"
import type { Text } from "../../../../policy/confinement/Look.js"
import { READ } from "../../disk/Disk.js"
import { type Options, stampOf } from "./directories.js"

/** More than that no settings have. */
const LONGEST = 1024 * 1024

/** As many as are kept in all; those that were read first are forgotten first. */
const MOST = 10_000

/** Nothing is there that git would read. */
const NONE: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"])

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined

export class Texts {
  private readonly known = new Map<string, { readonly stamp: string; readonly text: string }>()

  constructor(private readonly options: Pick<Options, "now" | "settles">) {}

  read(path: string): Text {
    try {
      const stats = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
      if (stats === undefined || !stats.isFile()) return "none"
      const known = this.known.get(path)
      return known?.stamp === stampOf(stats) ? known : this.look(path)
    } catch (error) {
      return NONE.has(codeOf(error)) ? "none" : "unread"
    }
  }

  private look(path: string): Text {
    this.known.delete(path)
    const fd = fs.openSync(path, READ)
    try {
      const stats = fs.fstatSync(fd, { bigint: true })
      if (!stats.isFile()) return "none"
      if (stats.size > LONGEST) return "unread"
      const text = fs.readFileSync(fd, "utf8")
      const { now, settles } = this.options
      // What changed just now may change again and show the same time.
      if (now() - Number(stats.ctimeNs / 1_000_000n) > settles) {
        this.known.set(path, { stamp: stampOf(stats), text })
        for (const oldest of this.known.keys()) {
          if (this.known.size <= MOST) break
          this.known.delete(oldest)
        }
      }
      return { text }
    } finally {
      fs.closeSync(fd)
    }
  }
}

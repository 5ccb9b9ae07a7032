/**
 * Where that goes which a child left behind and which is not to stay. Each child has a directory of its own in it, with a
 * list that says where everything was.
 */
import * as fs from "node:fs"
import { join } from "node:path"
import * as Kept from "../../disk/Kept.js"
import { type Directory, type Entries, unguessable } from "./entry.js"

interface Listed {
  readonly path: string
  readonly reason: string
  readonly as: string
}

/** Closes the quarantine to tools and children. */
export const openQuarantine = (directory: string): void => Kept.close(directory, { isMade: true })

const LONGEST_NAME = 200

/** So much of a name that a number fits before it: systems count bytes. */
const fitting = (name: string): string => {
  const bytes = Buffer.from(name)
  return bytes.length <= LONGEST_NAME
    ? name
    : bytes
        .subarray(0, LONGEST_NAME)
        .toString("utf8")
        .replace(/\uFFFD+$/, "")
}

export class Quarantine {
  private made: string | undefined
  private readonly listed: Array<Listed> = []
  private written = 0

  constructor(
    private readonly entries: Entries,
    private readonly root: string
  ) {}

  private folder(): string {
    if (this.made === undefined) {
      fs.mkdirSync(this.root, { recursive: true, mode: 0o700 })
      const stamp = new Date().toISOString().replace(/[:.]/g, "-")
      this.made = join(fs.realpathSync.native(this.root), `${stamp}-${unguessable()}`)
      fs.mkdirSync(this.made, { mode: 0o700 })
    }
    return this.made
  }

  private async put(
    path: string,
    reason: string,
    use: (folder: Directory, as: string) => Promise<void> | void
  ) {
    const folder = this.folder()
    const as = `${this.listed.length + 1}-${fitting(path.slice(path.lastIndexOf("/") + 1))}`
    await this.entries.within(folder, (open) => use(open, as))
    this.listed.push({ path, reason, as })
    // Of very many it is not written anew for each one.
    if (this.listed.length >= 2 * this.written) this.list()
    return join(folder, as)
  }

  /** Writes what is where. To be called at the end as well. */
  list(): void {
    if (this.made === undefined || this.written === this.listed.length) return
    this.written = this.listed.length
    const fresh = join(this.made, ".list.json")
    fs.writeFileSync(fresh, `${JSON.stringify(this.listed, undefined, 2)}\n`, { mode: 0o600 })
    // Whoever reads it reads all of one, whenever this program is killed.
    fs.renameSync(fresh, join(this.made, "list.json"))
  }

  /** Takes a name of an open directory, and says where it is now. */
  take(from: Directory, name: string, reason: string): Promise<string> {
    return this.put(join(from.path, name), reason, (folder, as) => this.entries.move(from, name, folder, as))
  }

  /** Keeps what a file held before it was changed. */
  keep(path: string, bytes: Uint8Array, reason: string): Promise<string> {
    return this.put(path, reason, (folder, as) => {
      fs.writeFileSync(this.entries.at(folder, as), bytes, { flag: "wx", mode: 0o600 })
    })
  }
}

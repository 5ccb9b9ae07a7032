/** A tree, looked through a directory at a time, so that whoever walks can stop to let others go on. */
import type { Finding, Judge, Where } from "../../../../policy/confinement/Look.js"
import { join } from "../../disk/Reality.js"
import { type Directories, Gone } from "./directories.js"
import { isOfKernel } from "./kernelFiles.js"

const UNREADABLE = "nobody can look into it"
const KERNEL = "what the kernel shows"

interface Pending {
  readonly path: string
  readonly where: Where
  /** The device of what it lies in. */
  readonly device: bigint | undefined
}

export class Walk {
  readonly found: Array<Finding> = []
  /** Entries that were met, and directories that were read because they were not known. */
  entries = 0
  read = 0
  private readonly pending: Array<Pending>

  constructor(
    private readonly directories: Directories,
    private readonly judge: Judge,
    private readonly root: string,
    private readonly most: number
  ) {
    this.pending = [{ path: root, where: judge.whereOf(root), device: undefined }]
  }

  get isTooLarge(): boolean {
    return this.entries > this.most
  }

  /** Looks into one more directory; `false` when there is none, or it is known that there are too many. */
  step(): boolean {
    const next = this.isTooLarge ? undefined : this.pending.pop()
    if (next === undefined) return false
    try {
      this.enter(next)
    } catch (error) {
      // What went away is not there for a child either. The root of a mount must be.
      const isMissing = error instanceof Gone && next.path !== this.root
      if (!isMissing) this.found.push(this.judge.unreadable(next.path, UNREADABLE))
    }
    return true
  }

  private enter({ device: above, path, where }: Pending): void {
    const { device, enter, entries, found, isNew } = this.directories.read(path, where, this.judge)
    if (device !== above && isOfKernel(path)) {
      this.found.push(this.judge.unreadable(path, KERNEL))
      return
    }
    this.entries += entries
    if (isNew) this.read++
    for (const one of found) this.found.push(one)
    for (const [name, as] of enter) this.pending.push({ path: join(path, name), where: as, device })
  }
}

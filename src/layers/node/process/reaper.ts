/**
 * Ends a child with all that it has started: politely, then by force, then whoever has left its group. Timers here
 * are the system's, not Effect's: they wait for the system.
 */
import { setTimeout as pause } from "node:timers/promises"
import { familyOf, type Root, type Row, readTable, type Table } from "./processTable.js"

export interface Child extends Root {
  readonly hasExited: () => boolean
}

const signal = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** A child leads a group of its own, and its pid names that as long as anybody is in it. */
export const signalGroup = ({ pid }: Pick<Root, "pid">, name: NodeJS.Signals | 0): boolean =>
  // Group 0 is our own, and -1 is everybody.
  pid > 1 && signal(-pid, name)

/** The group of a child that has ended was killed with it, and its number may be another's by now. */
const tell = (child: Child, name: NodeJS.Signals): boolean => !child.hasExited() && signalGroup(child, name)

const POLL_MILLIS = 5

/** A family that outlives this many rounds is one the system does not let us end. */
const ROUNDS = 400

const STALE_ROUNDS = 5

const canSee = process.platform === "linux"

export class Reaper {
  private reading: Promise<Table> | undefined
  private next: Promise<Table> | undefined

  constructor(
    private readonly layer: string,
    private readonly graceMillis: number
  ) {}

  /** A table that is read after it was asked for; who asks meanwhile shares the one after. */
  private table(): Promise<Table> {
    if (this.reading === undefined) {
      this.reading = readTable(this.layer).finally(() => {
        this.reading = undefined
      })
      return this.reading
    }
    this.next ??= this.reading.then(
      () => this.later(),
      () => this.later()
    )
    return this.next
  }

  private later(): Promise<Table> {
    this.next = undefined
    return this.table()
  }

  private async familyOf(child: Child): Promise<ReadonlyArray<Row>> {
    return canSee ? familyOf(await this.table(), [child], new Map()) : []
  }

  private huntDown(child: Child, family: ReadonlyArray<Row>): Promise<void> {
    const known = new Map(family.map(({ pid, started }) => [pid, started]))
    return this.hunt((table) => familyOf(table, [child], known))
  }

  /** Ends whoever `find` finds, until there is nobody. */
  private async hunt(find: (table: Table) => ReadonlyArray<{ readonly pid: number }>): Promise<void> {
    if (!canSee) return
    for (let round = 0, stale = 0; round < ROUNDS; round++) {
      const table = await this.table()
      const found = find(table)
      if (found.length === 0 && (!table.isStale || ++stale >= STALE_ROUNDS)) return
      for (const { pid } of found) signal(pid, "SIGKILL")
      if (found.length > 0) await pause(POLL_MILLIS)
    }
  }

  private async waitFor(isDone: () => boolean, millis: number): Promise<void> {
    for (let waited = 0; !isDone() && waited < millis; waited += POLL_MILLIS) await pause(POLL_MILLIS)
  }

  /** Ends what a child has left behind that holds on to its output. */
  async abandon(child: Child): Promise<void> {
    await this.huntDown(child, await this.familyOf(child))
  }

  async end(child: Child): Promise<void> {
    // Before anybody is told: parentage is lost with the parent.
    const family = await this.familyOf(child)
    tell(child, "SIGTERM")
    for (const { group, pid } of family) if (group !== child.pid) signal(pid, "SIGTERM")
    await this.waitFor(() => child.hasExited() && !signalGroup(child, 0), this.graceMillis)
    tell(child, "SIGKILL")
    await this.huntDown(child, family)
    await this.waitFor(child.hasExited, this.graceMillis)
  }

  /** Ends everybody who still carries a mark of this layer. */
  async sweep(): Promise<void> {
    await this.hunt(({ rows }) => rows.filter(({ isAlive, marks }) => isAlive && marks.size > 0))
  }
}

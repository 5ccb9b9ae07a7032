/** Who is running, as Linux tells it, and who among them belongs to a child of ours. */
import { readdir, readFile } from "node:fs/promises"

export interface Row {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly isAlive: boolean
  /** When it started: with the pid it names one process for good. */
  readonly started: string
  /** The children of this layer that it descends from, as its environment says. */
  readonly marks: ReadonlySet<string>
}

export interface Table {
  readonly rows: ReadonlyArray<Row>
  /** Somebody ended while the table was read, and may have left a child that is not in it. */
  readonly isStale: boolean
}

/** The variable that children carry, and hand down. */
export const MARKER = "BAILIWICK_CHILD"

const NONE: ReadonlySet<string> = new Set()

const marksIn = (environment: Buffer, layer: string): ReadonlySet<string> =>
  environment.includes(layer)
    ? new Set(environment.toString("latin1").match(new RegExp(`${layer}\\.\\d+;`, "g")))
    : NONE

const rowOf = async (pid: string, layer: string): Promise<Row> => {
  const [stat, environment] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "latin1"),
    // Of another user's process only this is not readable; it is not ours to stop either.
    readFile(`/proc/${pid}/environ`).catch(() => Buffer.alloc(0))
  ])
  // The name in parentheses may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [state = "", parent, group, session] = fields
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    isAlive: state !== "Z" && state !== "X",
    started: fields[19] ?? "",
    marks: marksIn(environment, layer)
  }
}

const AT_ONCE = 64

export const readTable = async (layer: string): Promise<Table> => {
  const names = await readdir("/proc").catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name))
  const rows: Array<Row> = []
  let isStale = false
  for (let from = 0; from < pids.length; from += AT_ONCE) {
    const read = await Promise.allSettled(pids.slice(from, from + AT_ONCE).map((pid) => rowOf(pid, layer)))
    for (const row of read) {
      if (row.status === "fulfilled") rows.push(row.value)
      else isStale = true
    }
  }
  return { rows, isStale }
}

export interface Root {
  readonly pid: number
  readonly mark: string
}

/**
 * All that a child has started: by the mark they carry, by session and group, by parentage, and by having been seen
 * in the family before.
 */
export const familyOf = (
  { rows }: Table,
  roots: ReadonlyArray<Root>,
  known: ReadonlyMap<number, string>
): ReadonlyArray<Row> => {
  const marks = new Set(roots.map(({ mark }) => mark))
  const members = new Set(roots.map(({ pid }) => pid))
  const family = new Set<Row>()
  const belongs = ({ group, marks: carried, parent, pid, session, started }: Row): boolean =>
    members.has(pid) ||
    members.has(parent) ||
    members.has(session) ||
    members.has(group) ||
    known.get(pid) === started ||
    [...carried].some((mark) => marks.has(mark))
  for (let size = -1; size !== family.size; ) {
    size = family.size
    for (const row of rows) {
      if (family.has(row) || row.pid === process.pid || !belongs(row)) continue
      family.add(row)
      members.add(row.pid)
    }
  }
  return [...family].filter(({ isAlive }) => isAlive)
}

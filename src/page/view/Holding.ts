/** Who holds what, joined with what the log says of it: the rows and cells of the matrix. */
import type { Log } from "../log/Log.js"
import { keyOf, NEVER, type Tally, type Use } from "../log/Tally.js"
import type { Capability, Grant, PageData, Risk, Subject } from "../PageData.js"

export interface Cell {
  readonly capability: string
  /** The most that its grants put at stake; nothing where nothing is held. */
  readonly risk: Risk | undefined
  readonly grants: ReadonlyArray<Grant>
  /** Nothing is written, and each tool gets what it declares. */
  readonly isAsDeclared: boolean
  readonly use: Use
}

export interface Row extends Pick<Subject, "id" | "kind" | "title"> {
  /** Nothing for somebody whom only the log knows. */
  readonly file: string | undefined
  readonly calls: number
  readonly cells: ReadonlyArray<Cell>
}

export interface Holdings {
  readonly columns: ReadonlyArray<Capability>
  readonly rows: ReadonlyArray<Row>
  /** What nobody holds and nobody asked for. */
  readonly absent: ReadonlyArray<string>
}

const LEVELS: ReadonlyArray<Risk> = ["low", "medium", "high"]

const most = (risks: ReadonlyArray<Risk>): Risk | undefined => LEVELS.findLast((risk) => risks.includes(risk))

const cellOf = (
  { name, risk }: Capability,
  subject: Pick<Subject, "grants" | "asDeclared">,
  uses: ReadonlyMap<string, Use> | undefined
): Cell => {
  const grants = subject.grants.filter(
    ({ capabilities, inert }) => inert === undefined && capabilities.includes(name)
  )
  const isAsDeclared = subject.asDeclared.includes(name)
  return {
    capability: name,
    risk: most([...grants.map(() => risk), ...(isAsDeclared ? [risk] : [])]),
    grants,
    isAsDeclared,
    use: uses?.get(name) ?? NEVER
  }
}

export const isEmpty = ({ risk, use }: Cell): boolean => risk === undefined && use.allowed + use.refused === 0

const NOBODY = { title: undefined, grants: [], asDeclared: [], file: undefined }

/** What the catalog does not know stands beside it, with the risk of what is not known. */
const unknownTo = (known: ReadonlyArray<Capability>, { who }: Tally): ReadonlyArray<Capability> => {
  const names = new Set(known.map(({ name }) => name))
  const asked = new Set([...who.values()].flatMap(({ uses }) => [...uses.keys()]))
  return [...asked]
    .filter((name) => !names.has(name))
    .sort()
    .map((name) => ({ name, effect: "", risk: "medium" as const }))
}

export const holdingsOf = ({ capabilities, subjects = [] }: PageData, tally: Tally): Holdings => {
  const all = [...capabilities, ...unknownTo(capabilities, tally)]
  const known = new Set(subjects.map(keyOf))
  const others = [...tally.who]
    .filter(([key]) => !known.has(key))
    .map(([, { id, kind }]) => ({ ...NOBODY, id, kind }))
  const rows = [...subjects, ...others].map(({ asDeclared, file, grants, id, kind, title }) => {
    const seen = tally.who.get(keyOf({ id, kind }))
    return {
      id,
      kind,
      title,
      file,
      calls: seen?.calls ?? 0,
      cells: all.map((capability) => cellOf(capability, { grants, asDeclared }, seen?.uses))
    }
  })
  const isUsed = all.map((_, at) => rows.some(({ cells }) => cells[at] !== undefined && !isEmpty(cells[at])))
  const keep = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> => list.filter((_, at) => isUsed[at])
  return {
    columns: keep(all),
    rows: rows.map((row) => ({ ...row, cells: keep(row.cells) })),
    absent: all.filter((_, at) => !isUsed[at]).map(({ name }) => name)
  }
}

/** What was added to the log may have needed what nothing needed before. */
export const usedSince = (data: PageData, { decisions, strings }: Log, row: number): PageData => {
  const places = new Set(decisions.by.slice(row).flatMap((by) => (strings[by] ?? "").split(", ")))
  if (places.size === 0 || data.subjects === undefined) return data
  const renewed = (grant: Grant): Grant =>
    grant.isUnused && places.has(`${grant.file}:${grant.line}`) ? { ...grant, isUnused: false } : grant
  return {
    ...data,
    subjects: data.subjects.map((subject) => ({ ...subject, grants: subject.grants.map(renewed) }))
  }
}

/** Agents by capabilities: who may touch what, how much is at stake, and how often it was used. */
import { useRef, useState } from "preact/hooks"
import { type Cell, type Holdings, isEmpty, type Row } from "./Holding.js"
import { Code, Hidden, Refused, RiskBars, RiskLabel, Said } from "./Marks.js"
import { number, shortNumber, some } from "./Words.js"

const inWords = ({ grants, isAsDeclared, risk, use }: Cell): string =>
  [
    risk === undefined
      ? "not held"
      : `${risk} risk, ${isAsDeclared ? "as tools declare" : some(grants.length, "grant")}`,
    use.allowed === 0 ? "never used" : `used ${some(use.allowed, "time")}`,
    ...(use.refused === 0 ? [] : [`refused ${some(use.refused, "time")}`])
  ].join(", ")

const CellButton = ({
  cell,
  open,
  tabIndex
}: {
  readonly cell: Cell
  readonly open: () => void
  readonly tabIndex: number
}) => {
  const { risk, use } = cell
  const state = use.allowed === 0 ? "idle" : "used"
  return (
    <button type="button" class={`cell ${risk ?? "lacking"} ${state}`} tabIndex={tabIndex} onClick={open}>
      <span class="cap" aria-hidden="true">
        {cell.capability}
      </span>
      {risk === undefined ? null : <RiskBars risk={risk} />}
      {risk === undefined && use.allowed === 0 ? null : (
        <span class="uses" aria-hidden="true">
          {use.allowed === 0 ? "–" : shortNumber(use.allowed)}
        </span>
      )}
      {use.refused === 0 ? null : (
        <span class="refusals" aria-hidden="true">
          <Refused />
          {shortNumber(use.refused)}
        </span>
      )}
      <Hidden>{`${cell.capability}: ${inWords(cell)}`}</Hidden>
    </button>
  )
}

/** How far each key goes, in rows and columns. */
const moves: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["ArrowUp", [-1, 0]],
  ["ArrowDown", [1, 0]],
  ["ArrowLeft", [0, -1]],
  ["ArrowRight", [0, 1]],
  ["Home", [0, Number.NEGATIVE_INFINITY]],
  ["End", [0, Number.POSITIVE_INFINITY]],
  ["PageUp", [Number.NEGATIVE_INFINITY, 0]],
  ["PageDown", [Number.POSITIVE_INFINITY, 0]]
])

const within = (value: number, most: number): number => Math.max(0, Math.min(most - 1, value))

/** The columns of a row that are seen: a phone leaves out what says nothing. */
const seenIn = (row: HTMLTableRowElement): ReadonlyArray<number> =>
  [...row.cells].slice(1).flatMap((cell, at) => (cell.offsetWidth === 0 ? [] : [at]))

/** By one or as far as it goes; where there is nothing ahead, nowhere. */
const next = (seen: ReadonlyArray<number>, from: number, by: number): number => {
  const ahead = seen.filter((at) => Math.sign(at - from) === Math.sign(by))
  return (Number.isFinite(by) === by > 0 ? ahead[0] : ahead.at(-1)) ?? from
}

const nearest = (seen: ReadonlyArray<number>, to: number): number =>
  seen.reduce((best, at) => (Math.abs(at - to) < Math.abs(best - to) ? at : best), seen[0] ?? to)

/** As many as are read at a glance; the rest is shown when it is asked for. */
const FIRST = 40

const [FACET, VERB] = [0, 1]

const partOf = (name: string, part: number): string => name.split(".")[part] ?? ""

/** Columns side by side that are of one facet. */
const groupsOf = ({
  columns
}: Holdings): ReadonlyArray<{ readonly facet: string; readonly count: number }> => {
  const groups: Array<{ facet: string; count: number }> = []
  for (const { name } of columns) {
    const facet = partOf(name, FACET)
    const last = groups.at(-1)
    if (last?.facet === facet) last.count += 1
    else groups.push({ facet, count: 1 })
  }
  return groups
}

const isFirstOfFacet = ({ columns }: Holdings, at: number): boolean =>
  partOf(columns[at]?.name ?? "", FACET) !== partOf(columns[at - 1]?.name ?? "", FACET)

/** The first cell that says something, for those that say nothing may not be seen. */
const firstOf = ({ rows }: Holdings): readonly [number, number] => {
  const line = rows.findIndex(({ cells }) => !cells.every(isEmpty))
  const column = rows[line]?.cells.findIndex((cell) => !isEmpty(cell)) ?? 0
  return [Math.max(0, line), column]
}

const RowHead = ({ row }: { readonly row: Row }) => (
  <th scope="row" role="rowheader">
    <span class="who">
      <Said>{row.id}</Said>
    </span>
    <span class="what">
      <Said>
        {row.file === undefined
          ? "in the log only"
          : row.kind === "personality"
            ? "personality"
            : (row.title ?? "")}
      </Said>
    </span>
    {row.file !== undefined && row.calls === 0 ? <span class="tag idle">no calls</span> : null}
  </th>
)

export const Matrix = ({
  holdings,
  open
}: {
  readonly holdings: Holdings
  readonly open: (row: Row, cell: Cell) => void
}) => {
  const table = useRef<HTMLTableElement>(null)
  const [[line, column], setFocus] = useState(() => firstOf(holdings))
  const [isWhole, setWhole] = useState(false)
  const rows = isWhole ? holdings.rows : holdings.rows.slice(0, FIRST)
  const focused = [within(line, rows.length), within(column, holdings.columns.length)] as const
  const move = (event: KeyboardEvent): void => {
    const by = moves.get(event.key)
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const seen = [...(table.current?.tBodies[0]?.rows ?? [])].map(seenIn)
    const lines = seen.flatMap((columns, at) => (columns.length === 0 ? [] : [at]))
    const to = by[0] === 0 ? focused[0] : next(lines, focused[0], by[0])
    const columns = seen[to] ?? []
    const across = by[1] === 0 ? nearest(columns, focused[1]) : next(columns, focused[1], by[1])
    setFocus([to, across])
    const cell = table.current?.tBodies[0]?.rows[to]?.cells[across + 1]
    const inside = cell?.querySelector("button") ?? cell
    inside?.focus()
  }
  if (rows.length === 0) {
    return (
      <p class="empty">
        There are no agents and no personalities here, and none is in the log. Write one with{" "}
        <Code>bailiwick agents create</Code>.
      </p>
    )
  }
  return (
    <>
      <div class="matrix-frame">
        <table
          class="matrix"
          role="grid"
          ref={table}
          style={{ "--columns": holdings.columns.length }}
          onKeyDown={move}
          aria-label="Agents and personalities by capability. Arrow keys move; Enter opens the grants."
        >
          <thead>
            <tr class="facets" aria-hidden="true">
              <td />
              {groupsOf(holdings).map(({ count, facet }, at) => (
                <td key={`${facet}${at}`} colSpan={count}>
                  {facet}
                </td>
              ))}
            </tr>
            <tr class="verbs" role="row">
              <th scope="col" role="columnheader">
                <Hidden>agent or personality</Hidden>
              </th>
              {holdings.columns.map(({ effect, name }, at) => (
                <th
                  key={name}
                  scope="col"
                  role="columnheader"
                  class={isFirstOfFacet(holdings, at) ? "first" : undefined}
                  aria-label={name}
                  title={effect}
                >
                  {partOf(name, VERB)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={`${row.kind} ${row.id}`} role="row">
                <RowHead row={row} />
                {row.cells.map((cell, index) => {
                  const tabIndex = focused[0] === at && focused[1] === index ? 0 : -1
                  const isNone = isEmpty(cell)
                  return (
                    <td
                      key={cell.capability}
                      role="gridcell"
                      class={isFirstOfFacet(holdings, index) ? "first" : undefined}
                      onFocusCapture={() => setFocus([at, index])}
                      {...(isNone ? { tabIndex, "data-empty": true } : {})}
                    >
                      {isNone ? (
                        <Hidden>{`${cell.capability}: not held`}</Hidden>
                      ) : (
                        <CellButton cell={cell} tabIndex={tabIndex} open={() => open(row, cell)} />
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === holdings.rows.length ? null : (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          Show all {number(holdings.rows.length)}
        </button>
      )}
      <div class="legend">
        <RiskLabel risk="low" />
        <RiskLabel risk="medium" />
        <RiskLabel risk="high" />
        <span>
          <span class="key used" /> used, with how often
        </span>
        <span>
          <span class="key idle" /> granted and never used
        </span>
        <span class="refusals">
          <Refused /> refused
        </span>
        {holdings.absent.length === 0 ? null : (
          <span class="absent">Nobody holds or asked for {holdings.absent.join(", ")}.</span>
        )}
      </div>
    </>
  )
}

/** Decisions, the latest first. Only the rows that are seen are drawn, however many there are. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { type Log, textAt, whoOf } from "../log/Log.js"
import { Allowed, Refused, Said } from "./Marks.js"
import { showing, windowOf } from "./rowWindow.js"
import { exactly, moment } from "./Words.js"

const NARROW = "(max-width: 760px)"

const HEIGHTS = { wide: 38, narrow: 82 }

const useNarrow = (): boolean => {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  // At once, so that no change is missed between the first look and the listening.
  useLayoutEffect(() => {
    const query = matchMedia(NARROW)
    const follow = (): void => setNarrow(query.matches)
    query.addEventListener("change", follow)
    return () => query.removeEventListener("change", follow)
  }, [])
  return isNarrow
}

export const Verdict = ({ code, isAllowed }: { readonly isAllowed: boolean; readonly code: string }) =>
  isAllowed ? (
    <span class="verdict allowed">
      <Allowed />
      allowed
    </span>
  ) : (
    <span class="verdict refused">
      <Refused />
      <Said>{code === "" ? "refused" : code}</Said>
    </span>
  )

/** What stands in a row, from left to right. */
const columns = ["Time", "Who", "Tool", "Capability", "Asked", "Verdict"] as const

const cells = (log: Log, row: number) => {
  const { calls, decisions } = log
  const call = decisions.call[row] ?? 0
  const time = decisions.time[row] ?? 0
  const isAllowed = decisions.allowed[row] === 1
  const asked = textAt(log, decisions.asked, row)
  return {
    isAllowed,
    all: [
      <time key="time" dateTime={exactly(time)}>
        {moment(time)}
      </time>,
      <Said key="who">{whoOf(log, call)}</Said>,
      <Said key="tool">{textAt(log, calls.tool, call)}</Said>,
      <Said key="capability">{textAt(log, decisions.capability, row)}</Said>,
      <Said key="asked" title={asked}>
        {asked}
      </Said>,
      <Verdict key="verdict" isAllowed={isAllowed} code={textAt(log, decisions.code, row)} />
    ]
  }
}

const Cells = ({
  all,
  role
}: {
  readonly all: ReturnType<typeof cells>["all"]
  readonly role: "gridcell" | "cell"
}) => (
  <>
    {all.map((content, at) => (
      <span key={columns[at]} role={role} class={`c-${columns[at]?.toLowerCase()}`}>
        {content}
      </span>
    ))}
  </>
)

/** What is left for rows below the heads of the columns. */
const heightOf = (scroller: HTMLElement): number =>
  scroller.clientHeight - (scroller.querySelector<HTMLElement>(".head")?.offsetHeight ?? 0)

const steps = (key: string, page: number, count: number): number | undefined =>
  new Map([
    ["ArrowUp", -1],
    ["ArrowDown", 1],
    ["PageUp", -page],
    ["PageDown", page],
    ["Home", -count],
    ["End", count]
  ]).get(key)

export const DecisionList = ({
  log,
  open,
  rows,
  standsFor
}: {
  readonly log: Log
  readonly rows: ReadonlyArray<number>
  /** The filters that gave these rows: with others, the list begins anew. */
  readonly standsFor: string
  readonly open: (row: number) => void
}) => {
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  const [active, setActive] = useState(0)
  const wantsFocus = useRef(false)
  const before = useRef({ standsFor, count: rows.length })
  const rowHeight = HEIGHTS[useNarrow() ? "narrow" : "wide"]

  useLayoutEffect(() => {
    const { current } = scroller
    if (current === null) return
    const measure = (): void => setView({ top: current.scrollTop, height: heightOf(current) })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])

  // What is added stands on top: who has scrolled, or walked down, stays at the same decision.
  useLayoutEffect(() => {
    const { count, standsFor: last } = before.current
    before.current = { standsFor, count: rows.length }
    const { current } = scroller
    if (current === null) return
    if (last !== standsFor) {
      setActive(0)
      current.scrollTop = 0
      return
    }
    const added = rows.length - count
    if (added <= 0) return
    setActive((at) => (current.scrollTop > 0 || at > 0 ? at + added : at))
    if (current.scrollTop > 0) current.scrollTop += added * rowHeight
  }, [rows, standsFor, rowHeight])

  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    scroller.current?.querySelector<HTMLElement>(`[data-at="${active}"]`)?.focus({ preventScroll: true })
  })

  const count = rows.length
  const current = Math.max(0, Math.min(active, count - 1))
  const { end, first } = windowOf(view.top, view.height, rowHeight, count)
  /** The one that the focus is on stays, wherever the list is scrolled to. */
  const drawn = [
    ...(current < first ? [current] : []),
    ...Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index),
    ...(current >= end && current < count ? [current] : [])
  ]
  const move = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || count === 0) return
    const step = steps(event.key, Math.max(1, Math.floor(view.height / rowHeight) - 1), count)
    if (event.key === "Enter" || event.key === " ") open(rows[current] ?? 0)
    else if (step === undefined) return
    else {
      const next = Math.max(0, Math.min(count - 1, current + step))
      wantsFocus.current = true
      setActive(next)
      const element = scroller.current
      if (element !== null) element.scrollTop = showing(next, element.scrollTop, view.height, rowHeight)
    }
    event.preventDefault()
  }
  return (
    <div
      class="list"
      role="grid"
      aria-label="Decisions, the latest first. Arrow keys move; Enter opens one."
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
    >
      <div
        class="scroller"
        role="rowgroup"
        ref={scroller}
        onKeyDown={move}
        onScroll={({ currentTarget }) =>
          setView({ top: currentTarget.scrollTop, height: heightOf(currentTarget) })
        }
      >
        <div class="row head" role="row" aria-rowindex={1}>
          {columns.map((name) => (
            <span key={name} role="columnheader" class={`c-${name.toLowerCase()}`}>
              {name}
            </span>
          ))}
        </div>
        <div class="whole" role="presentation" style={{ height: `${count * rowHeight}px` }}>
          {drawn.map((at) => {
            const { all, isAllowed } = cells(log, rows[at] ?? 0)
            return (
              <div
                key={at}
                class={isAllowed ? "row" : "row refused"}
                role="row"
                data-at={at}
                aria-rowindex={at + 2}
                tabIndex={at === current ? 0 : -1}
                style={{ transform: `translateY(${at * rowHeight}px)`, height: `${rowHeight}px` }}
                onFocus={() => setActive(at)}
                onClick={() => open(rows[at] ?? 0)}
              >
                <Cells all={all} role="gridcell" />
              </div>
            )
          })}
        </div>
        {count === 0 ? <p class="empty">No decision is like that. Clear a filter to see more.</p> : null}
      </div>
    </div>
  )
}

/** As many as a reader turns pages for. */
const PRINTED = 250

/** The list for paper, which does not scroll. */
export const PrintedList = ({ log, rows }: { readonly log: Log; readonly rows: ReadonlyArray<number> }) => (
  <div class="printed">
    {rows.length <= PRINTED ? null : <p>The latest {PRINTED} of them:</p>}
    <table>
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, PRINTED).map((row) => (
          <tr key={row}>
            {cells(log, row).all.map((content, at) => (
              <td key={columns[at]}>{content}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

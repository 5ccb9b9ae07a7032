/** Calls by time. Refusals have a lane of their own, in which one among thousands is seen. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { type Bins, binsOf } from "../log/Bins.js"
import { type Log, spanOf } from "../log/Log.js"
import type { Selection } from "../log/Selection.js"
import { countMarks, timeMarks } from "./Axis.js"
import {
  clockTime,
  clockTimeWithSeconds,
  dateAndTime,
  dayAndTime,
  moment,
  number,
  shortNumber,
  some
} from "./Words.js"

export type Span = readonly [from: number, to: number]

const LEFT = 44
const RIGHT = 10
const TOP = 14
const CALLS = 132
const GAP = 18
const LANE = 34
const AXIS = 24
const HEIGHT = TOP + CALLS + GAP + LANE + AXIS
const BAR = 9
const LEAST = 3
/** Half of the widest label, which stays inside. */
const LABEL = 28

const offsetAt = (time: number): number => -60_000 * new Date(time).getTimezoneOffset()

const binSpan = ({ from, width }: Bins, a: number, b = a): Span => [
  from + Math.min(a, b) * width,
  from + (Math.max(a, b) + 1) * width - 1
]

const MINUTE = 60_000

const isSameDay = (a: number, b: number): boolean => new Date(a).toDateString() === new Date(b).toDateString()

/** Seconds are said where they count. */
export const spanText = ([from, to]: Span): string => {
  const end = to + 1
  if (from % MINUTE !== 0 || end % MINUTE !== 0)
    return `${moment(from)} – ${(isSameDay(from, to) ? clockTimeWithSeconds : moment)(to)}`
  return `${dayAndTime(from)} – ${(isSameDay(from, to) ? clockTime : dayAndTime)(end)}`
}

const binText = (bins: Bins, at: number): string => {
  const [ok = 0, failed = 0, refused = 0] = [bins.ok[at], bins.failed[at], bins.refused[at]]
  return [
    some(ok + failed + refused, "call"),
    ...(failed === 0 ? [] : [`${number(failed)} failed`]),
    ...(refused === 0 ? [] : [`${number(refused)} refused`])
  ].join(", ")
}

const useWidth = () => {
  const element = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    setWidth(current.clientWidth)
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [element, width] as const
}

const Bars = ({
  bins,
  x,
  barWidth
}: {
  readonly bins: Bins
  readonly x: (at: number) => number
  readonly barWidth: number
}) => {
  const top = Math.max(1, ...bins.ok.map((ok, at) => ok + (bins.failed[at] ?? 0) + (bins.refused[at] ?? 0)))
  const marks = countMarks(top)
  const scale = CALLS / top
  const most = Math.max(1, ...bins.refused)
  const base = TOP + CALLS
  return (
    <>
      {marks.map((mark) => (
        <g key={mark}>
          <line class="grid" x1={LEFT} x2="100%" y1={base - mark * scale} y2={base - mark * scale} />
          <text class="label" x={LEFT - 8} y={base - mark * scale + 4} text-anchor="end">
            {shortNumber(mark)}
          </text>
        </g>
      ))}
      <line class="grid base" x1={LEFT} x2="100%" y1={base} y2={base} />
      <line class="grid base" x1={LEFT} x2="100%" y1={base + GAP + LANE} y2={base + GAP + LANE} />
      {bins.ok.map((ok, at) => {
        const [failed = 0, refused = 0] = [bins.failed[at], bins.refused[at]]
        const all = ok + failed + refused
        if (all === 0) return null
        const height = Math.max(LEAST, all * scale)
        const failedHeight = failed === 0 ? 0 : Math.max(LEAST, failed * scale)
        const refusedHeight = refused === 0 ? 0 : Math.max(LEAST + 1, (refused / most) * LANE)
        return (
          <g key={at}>
            <rect class="bar ok" x={x(at)} y={base - height} width={barWidth} height={height} rx="1.5" />
            {failed === 0 ? null : (
              <rect
                class="bar failed"
                x={x(at)}
                y={base - height}
                width={barWidth}
                height={failedHeight}
                rx="1.5"
              />
            )}
            {refused === 0 ? null : (
              <rect
                class="bar refused"
                x={x(at)}
                y={base + GAP + LANE - refusedHeight}
                width={barWidth}
                height={refusedHeight}
                rx="1.5"
              />
            )}
          </g>
        )
      })}
      <text class="label lane" x={LEFT} y={base + GAP - 3}>
        refused
      </text>
    </>
  )
}

/** The same in words, for who cannot see it, and for paper. */
const AsTable = ({ bins }: { readonly bins: Bins }) => (
  <details class="as-table">
    <summary>The timeline as a table</summary>
    <table>
      <thead>
        <tr>
          <th scope="col">From</th>
          <th scope="col">Calls</th>
          <th scope="col">Failed</th>
          <th scope="col">Refused</th>
        </tr>
      </thead>
      <tbody>
        {bins.ok.map((ok, at) => {
          const [failed = 0, refused = 0] = [bins.failed[at], bins.refused[at]]
          return ok + failed + refused === 0 ? null : (
            <tr key={at}>
              <th scope="row">{dateAndTime(bins.from + at * bins.width)}</th>
              <td>{number(ok + failed + refused)}</td>
              <td>{number(failed)}</td>
              <td>{number(refused)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  </details>
)

const TABLE_ROWS = 24

export const Timeline = ({
  log,
  selected,
  selection,
  setSpan,
  version
}: {
  readonly log: Log
  /** Grows with the log. */
  readonly version: number
  readonly selection: Selection
  readonly selected: Span | undefined
  readonly setSpan: (span: Span | undefined) => void
}) => {
  const [frame, width] = useWidth()
  const whole = useMemo(() => spanOf(log), [log, version])
  const [drag, setDrag] = useState<readonly [number, number] | undefined>(undefined)
  const [cursor, setCursor] = useState<number | undefined>(undefined)
  const [anchor, setAnchor] = useState<number | undefined>(undefined)
  const plot = Math.max(60, width - LEFT - RIGHT)
  const bins = useMemo(
    () =>
      whole === undefined
        ? undefined
        : binsOf(log, selection.calls, whole, {
            most: Math.max(2, Math.floor(plot / BAR)),
            offset: offsetAt(whole[0])
          }),
    [log, selection, whole, plot]
  )
  const coarse = useMemo(
    () =>
      whole === undefined
        ? undefined
        : binsOf(log, selection.calls, whole, { most: TABLE_ROWS, offset: offsetAt(whole[0]) }),
    [log, selection, whole]
  )
  useEffect(() => {
    if (selected === undefined) setAnchor(undefined)
  }, [selected])
  if (bins === undefined || coarse === undefined) {
    return (
      <div class="timeline" ref={frame}>
        <p class="empty">Nobody has called anything yet.</p>
      </div>
    )
  }
  const each = plot / bins.count
  const x = (at: number): number => LEFT + at * each
  const timeX = (time: number): number =>
    LEFT + Math.max(0, Math.min(plot, ((time - bins.from) / (bins.width * bins.count)) * plot))
  const binAt = (event: PointerEvent): number => {
    const box = frame.current?.getBoundingClientRect()
    const at = Math.floor((event.clientX - (box?.left ?? 0) - LEFT) / each)
    return Math.max(0, Math.min(bins.count - 1, at))
  }
  const to = bins.from + bins.count * bins.width
  const shown = drag === undefined ? selected : binSpan(bins, drag[0], drag[1])
  const here = Math.min(cursor ?? bins.count - 1, bins.count - 1)
  const keys = (event: KeyboardEvent): void => {
    const next = {
      ArrowLeft: here - 1,
      ArrowDown: here - 1,
      ArrowRight: here + 1,
      ArrowUp: here + 1,
      PageUp: here - 10,
      PageDown: here + 10,
      Home: 0,
      End: bins.count - 1
    }[event.key]
    if (event.key === "Escape" && selected !== undefined) setSpan(undefined)
    else if (event.key === "Enter" || event.key === " ") {
      setAnchor(here)
      setSpan(binSpan(bins, here))
    } else if (next === undefined) return
    else {
      const at = Math.max(0, Math.min(bins.count - 1, next))
      setCursor(at)
      if (event.shiftKey) {
        const start = anchor ?? here
        setAnchor(start)
        setSpan(binSpan(bins, start, at))
      }
    }
    event.preventDefault()
  }
  const barWidth = Math.max(1, each - Math.min(2, each * 0.25))
  return (
    <>
      <div
        class="timeline"
        ref={frame}
        role="slider"
        tabIndex={0}
        aria-label="Timeline of calls. Arrow keys move; with Shift they select; Enter selects one stretch; Escape clears."
        aria-valuemin={0}
        aria-valuemax={bins.count - 1}
        aria-valuenow={here}
        aria-valuetext={`${spanText(binSpan(bins, here))}: ${binText(bins, here)}`}
        onKeyDown={keys}
        onBlur={() => setCursor(undefined)}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          const at = binAt(event)
          setDrag([at, at])
        }}
        onPointerMove={(event) => {
          const at = binAt(event)
          setCursor(at)
          setDrag((before) => (before === undefined ? undefined : [before[0], at]))
        }}
        onPointerUp={(event) => {
          if (drag === undefined) return
          setDrag(undefined)
          setAnchor(drag[0])
          setSpan(binSpan(bins, drag[0], binAt(event)))
        }}
        onPointerCancel={() => setDrag(undefined)}
        onPointerLeave={() => setCursor(undefined)}
      >
        <svg width="100%" height={HEIGHT} aria-hidden="true">
          {shown === undefined ? null : (
            <rect
              class="brush"
              x={timeX(shown[0])}
              y={TOP - 6}
              width={Math.max(2, timeX(shown[1] + 1) - timeX(shown[0]))}
              height={HEIGHT - TOP - AXIS + 6}
              rx="3"
            />
          )}
          {cursor === undefined ? null : (
            <rect class="cursor" x={x(here)} y={TOP - 6} width={each} height={HEIGHT - TOP - AXIS + 6} />
          )}
          <Bars bins={bins} x={x} barWidth={barWidth} />
          {timeMarks(bins.from, to, Math.max(2, plot / 84)).map(({ at, isDay, text }) => (
            <g key={at}>
              <line class="tick" x1={timeX(at)} x2={timeX(at)} y1={HEIGHT - AXIS} y2={HEIGHT - AXIS + 4} />
              <text
                class={isDay ? "label day" : "label"}
                x={Math.min(timeX(at), width - LABEL)}
                y={HEIGHT - 6}
                text-anchor="middle"
              >
                {text}
              </text>
            </g>
          ))}
        </svg>
        {cursor === undefined || width === 0 ? null : (
          <div class={x(here) > width / 2 ? "tip left" : "tip"} style={{ left: `${x(here) + each / 2}px` }}>
            <strong>{binText(bins, here)}</strong>
            <span>{spanText(binSpan(bins, here))}</span>
          </div>
        )}
      </div>
      <AsTable bins={coarse} />
    </>
  )
}

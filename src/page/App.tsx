/** The page: its parts in the order in which a person wants to see them. */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks"
import { type Filters, isFiltered, timeOf, writeFilters } from "./log/Filters.js"
import { spanOf } from "./log/Log.js"
import { select } from "./log/Selection.js"
import { keyOf, tallyOf } from "./log/Tally.js"
import type { PageData } from "./PageData.js"
import { type Section, writeAddress } from "./state/Address.js"
import { useAddress } from "./useAddress.js"
import { useLog } from "./useLog.js"
import { usePrinting } from "./usePrinting.js"
import { useTheme } from "./useTheme.js"
import { CellDialog } from "./view/CellDialog.js"
import { DecisionDialog } from "./view/DecisionDialog.js"
import { DecisionList, PrintedList } from "./view/DecisionList.js"
import { Figures, Notes } from "./view/Figures.js"
import { FilterBar, isOwnSpan } from "./view/FilterBar.js"
import { Head, Ways } from "./view/Head.js"
import { type Cell, holdingsOf, type Row, usedSince } from "./view/Holding.js"
import { Matrix } from "./view/Matrix.js"
import { Part } from "./view/Part.js"
import { type Span, spanText, Timeline } from "./view/Timeline.js"
import { Tools } from "./view/Tools.js"
import { Unused } from "./view/Unused.js"
import { duration, number } from "./view/Words.js"

const scrollTo = (section: Section, behavior: ScrollBehavior = "auto"): void => {
  document.getElementById(section)?.scrollIntoView({ behavior })
  document.getElementById(`${section}-title`)?.focus({ preventScroll: true })
}

const sorted = (names: Iterable<string>): ReadonlyArray<string> =>
  [...new Set(names)].filter((one) => one !== "").sort()

/** What is read aloud: what a filter leaves, and not every entry that comes. */
const useAnnounced = (text: string, filters: Filters): string => {
  const [announced, setAnnounced] = useState("")
  const latest = useRef(text)
  latest.current = text
  useEffect(() => setAnnounced(latest.current), [filters])
  return announced
}

type Opened =
  | { readonly _tag: "Cell"; readonly row: Row; readonly cell: Cell }
  | { readonly _tag: "Decision"; readonly row: number }

export const App = ({ data: given }: { readonly data: PageData }) => {
  const { connection, log, version } = useLog(given)
  const [{ at, filters }, change] = useAddress()
  const [theme, setTheme] = useTheme()
  const [opened, setOpened] = useState<Opened | undefined>(undefined)
  const isPrinting = usePrinting()
  const close = useCallback(() => setOpened(undefined), [])
  const set = useCallback(
    (changed: Partial<Filters>) =>
      change((before) => ({ ...before, filters: { ...before.filters, ...changed } })),
    [change]
  )

  // The log grows in place, and its version says so.
  /* biome-ignore-start lint/correctness/useExhaustiveDependencies: as above */
  const data = useMemo(() => usedSince(given, log, given.log.decisions.time.length), [given, log, version])
  const tally = useMemo(() => tallyOf(log), [log, version])
  const span = useMemo(() => spanOf(log), [log, version])
  const now = useMemo(() => (data.live === undefined ? data.generated : Date.now()), [data, version])
  const selection = useMemo(() => select(log, filters, now), [log, version, filters, now])
  const sessions = useMemo(() => {
    const latest = new Set<number>()
    for (let row = log.calls.session.length - 1; row >= 0; row--) latest.add(log.calls.session[row] ?? 0)
    return [...latest].map((place) => log.strings[place] ?? "").filter((one) => one !== "")
  }, [log, version])
  /* biome-ignore-end lint/correctness/useExhaustiveDependencies: as above */
  const holdings = useMemo(() => holdingsOf(data, tally), [data, tally])
  const choices = useMemo(
    () => ({
      agent: sorted([...tally.who.values()].map(({ id }) => id)),
      tool: sorted(tally.tools.keys()),
      capability: sorted([...tally.who.values()].flatMap(({ uses }) => [...uses.keys()])),
      session: sessions
    }),
    [tally, sessions]
  )
  const openCell = useCallback((row: Row, cell: Cell) => setOpened({ _tag: "Cell", row, cell }), [])
  const matrix = useMemo(() => <Matrix holdings={holdings} open={openCell} />, [holdings, openCell])
  const unused = useMemo(
    () => (
      <Unused
        subjects={data.subjects}
        callsOf={(subject) => tally.who.get(keyOf(subject))?.calls ?? 0}
        isPrinted={isPrinting}
      />
    ),
    [data, tally, isPrinting]
  )
  const tools = useMemo(
    () => <Tools tools={data.tools} tally={tally} isPrinted={isPrinting} />,
    [data, tally, isPrinting]
  )

  const hasArrived = useRef(false)
  useEffect(() => {
    if (at !== undefined) scrollTo(at, hasArrived.current ? "auto" : "instant")
    hasArrived.current = true
  }, [at])

  const selected: Span | undefined =
    filters.since === "" && filters.until === ""
      ? undefined
      : [
          timeOf(filters.since, now) ?? Number.NEGATIVE_INFINITY,
          timeOf(filters.until, now) ?? Number.POSITIVE_INFINITY
        ]
  const ownSpan =
    selected === undefined || !isOwnSpan(filters)
      ? undefined
      : spanText([Math.max(selected[0], span?.[0] ?? 0), Math.min(selected[1], span?.[1] ?? 0)])
  const setSpan = (next: Span | undefined): void =>
    set(
      next === undefined
        ? { since: "", until: "" }
        : { since: new Date(next[0]).toISOString(), until: new Date(next[1]).toISOString() }
    )
  const covered = data.covers ?? span
  const all = log.decisions.time.length
  const left = selection.decisions.length
  const counted = left === all ? `${number(all)} decisions` : `${number(left)} of ${number(all)} decisions`
  const announced = useAnnounced(counted, filters)
  return (
    <>
      <Head data={data} connection={connection} theme={theme} setTheme={setTheme} />
      <Ways addressOf={(section) => writeAddress({ filters, at: section })} goTo={scrollTo} />
      <main>
        <Figures data={data} log={log} tally={tally} />
        <Notes log={log} notes={data.notes} />
        <Part
          name="may"
          about={
            data.subjects === undefined
              ? "There is no workspace here: this is what the log alone shows."
              : "Each cell says how much is at stake and how often it was used. Open one for the grants behind it."
          }
        >
          {matrix}
        </Part>
        <Part name="did" about="Calls over time. Drag to select a stretch; the list below follows.">
          <div class="card">
            <div class="timeline-head">
              <ul class="keys">
                <li>
                  <span class="swatch ok" /> calls
                </li>
                <li>
                  <span class="swatch failed" /> failed
                </li>
                <li>
                  <span class="swatch refused" /> refused
                </li>
              </ul>
              {isFiltered(filters) ? (
                <p>
                  <span class="span">{ownSpan ?? "filtered"}</span>
                  <button
                    type="button"
                    class="plain"
                    onClick={() => (ownSpan === undefined ? scrollTo("decisions") : setSpan(undefined))}
                  >
                    {ownSpan === undefined ? "see the filters" : "clear the selection"}
                  </button>
                </p>
              ) : null}
            </div>
            <Timeline
              log={log}
              version={version}
              selection={selection}
              selected={selected}
              setSpan={setSpan}
            />
          </div>
        </Part>
        <Part
          name="unused"
          about={
            covered === undefined
              ? undefined
              : `Grants that nothing needed in the ${duration(covered[1] - covered[0])} that the log covers.`
          }
        >
          {unused}
        </Part>
        <Part name="tools" about="What its author declares that it may ask for; the most called first.">
          {tools}
        </Part>
        <Part name="decisions">
          <FilterBar filters={filters} choices={choices} spanText={ownSpan} set={set} />
          <p class="result">{counted}</p>
          <p class="hidden" role="status">
            {announced}
          </p>
          <DecisionList
            log={log}
            rows={selection.decisions}
            standsFor={String(writeFilters(filters))}
            open={(row) => setOpened({ _tag: "Decision", row })}
          />
          {isPrinting ? <PrintedList log={log} rows={selection.decisions} /> : null}
        </Part>
      </main>
      {opened === undefined ? null : opened._tag === "Cell" ? (
        <CellDialog
          row={opened.row}
          cell={opened.cell}
          capability={data.capabilities.find(({ name }) => name === opened.cell.capability)}
          log={log}
          close={close}
          show={() => {
            set({ agent: opened.row.id, capability: opened.cell.capability, tool: "", session: "", q: "" })
            close()
            scrollTo("decisions")
          }}
        />
      ) : (
        <DecisionDialog log={log} row={opened.row} close={close} set={set} />
      )}
    </>
  )
}

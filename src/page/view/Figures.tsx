/** The log in five numbers, and what its reader has to say. */
import type { Log } from "../log/Log.js"
import { spanOf } from "../log/Log.js"
import type { Tally } from "../log/Tally.js"
import type { PageData } from "../PageData.js"
import { Said } from "./Marks.js"
import { duration, number, some } from "./Words.js"

const Figure = ({
  label,
  note,
  tone,
  value
}: {
  readonly label: string
  readonly value: string
  readonly note: string
  readonly tone?: string
}) => (
  <div class={tone === undefined ? "figure" : `figure ${tone}`}>
    <dt>{label}</dt>
    <dd>
      <strong>{value}</strong>
      <span>{note}</span>
    </dd>
  </div>
)

const share = (part: number, whole: number): string => {
  if (part === 0 || whole === 0) return "none"
  const percent = (100 * part) / whole
  return percent < 0.1 ? "less than 0.1 %" : `${percent.toFixed(percent < 10 ? 1 : 0)} % of all`
}

export const Figures = ({
  data,
  log,
  tally
}: {
  readonly data: PageData
  readonly log: Log
  readonly tally: Tally
}) => {
  const span = spanOf(log)
  const grants =
    data.subjects?.flatMap((subject) => subject.grants.filter(({ inert }) => inert === undefined)) ?? []
  const unused = grants.filter(({ isUnused }) => isUnused).length
  const decided = tally.allowed + tally.refused
  return (
    <dl class="figures">
      <Figure
        label="Calls"
        value={number(tally.calls)}
        note={span === undefined ? "none yet" : `in ${duration(span[1] - span[0])}`}
      />
      <Figure label="Decisions" value={number(decided)} note={`by ${some(tally.tools.size, "tool")}`} />
      <Figure
        label="Refused"
        value={number(tally.refused)}
        note={share(tally.refused, decided)}
        {...(tally.refused > 0 ? { tone: "bad" } : {})}
      />
      <Figure
        label="Active"
        value={number(tally.who.size)}
        note={
          data.subjects === undefined
            ? "agents and personalities"
            : `of ${some(data.subjects.length, "agent or personality", "agents and personalities")}`
        }
      />
      <Figure
        label="Never used"
        value={data.subjects === undefined ? "–" : number(unused)}
        note={data.subjects === undefined ? "no workspace to look at" : `of ${some(grants.length, "grant")}`}
      />
    </dl>
  )
}

export const Notes = ({ log, notes }: { readonly log: Log; readonly notes: ReadonlyArray<string> }) => {
  const all = [
    ...(log.lost === 0
      ? []
      : [`${some(log.lost, "entry", "entries")} could not be written to the log and are missing here`]),
    ...notes
  ]
  return all.length === 0 ? null : (
    <aside class="notes" aria-label="Notes on the log">
      <ul>
        {all.map((note) => (
          <li key={note}>
            <Said>{note}</Said>
          </li>
        ))}
      </ul>
    </aside>
  )
}

/** What stands behind a cell of the matrix: the grants with the lines they are written in, and what was asked. */
import { type Log, textAt } from "../log/Log.js"
import type { Capability } from "../PageData.js"
import { Dialog } from "./Dialog.js"
import type { Cell, Row } from "./Holding.js"
import { Allowed, Code, Place, Refused, RiskLabel, Said } from "./Marks.js"
import { moment, number, some } from "./Words.js"

interface Asked {
  readonly asked: string
  readonly isAllowed: boolean
  readonly times: number
}

const MOST = 8

/** What was asked most, and of it what was refused first. */
const askedOf = (log: Log, { id: who, kind }: Row, capability: string): ReadonlyArray<Asked> => {
  const { calls, decisions, strings } = log
  const [id, name] = [strings.indexOf(who), strings.indexOf(capability)]
  const found = new Map<string, { asked: string; isAllowed: boolean; times: number }>()
  for (let row = 0; row < decisions.time.length; row++) {
    const call = decisions.call[row] ?? 0
    if (decisions.capability[row] !== name) continue
    if (calls[kind][call] !== id) continue
    const isAllowed = decisions.allowed[row] === 1
    const key = `${isAllowed} ${decisions.asked[row]}`
    const one = found.get(key) ?? { asked: textAt(log, decisions.asked, row), isAllowed, times: 0 }
    one.times += 1
    found.set(key, one)
  }
  return [...found.values()].sort((a, b) => Number(a.isAllowed) - Number(b.isAllowed) || b.times - a.times)
}

export const CellDialog = ({
  capability,
  cell,
  close,
  log,
  row,
  show
}: {
  readonly row: Row
  readonly cell: Cell
  readonly capability: Capability | undefined
  readonly log: Log
  readonly close: () => void
  readonly show: () => void
}) => {
  const { grants, isAsDeclared, risk, use } = cell
  const asked = askedOf(log, row, cell.capability)
  return (
    <Dialog
      close={close}
      title={
        <>
          <Said>{row.id}</Said> <span class="dim">{cell.capability}</span>
        </>
      }
    >
      <p class="effect">
        {risk === undefined ? "Holds nothing of this" : <RiskLabel risk={risk} />}
        {capability === undefined || capability.effect === "" || risk === undefined
          ? null
          : ` may ${capability.effect}`}
      </p>
      {grants.length === 0 ? null : (
        <ul class="grants">
          {grants.map((grant) => (
            <li key={`${grant.file}:${grant.line}:${grant.written}`}>
              <Code>{grant.written}</Code>
              <Place file={grant.file} line={grant.line} />
              {grant.isUnused ? <span class="tag idle">never used</span> : null}
            </li>
          ))}
        </ul>
      )}
      {isAsDeclared ? (
        <p>
          Nothing is written about this in <Code>{row.file ?? ""}</Code>: each tool gets what it declares by
          name.
        </p>
      ) : null}
      <h4>
        {use.allowed === 0 ? "Never used" : `Used ${some(use.allowed, "time")}, last on ${moment(use.last)}`}
        {use.refused === 0 ? "" : `; refused ${some(use.refused, "time")}`}
      </h4>
      {asked.length === 0 ? null : (
        <ul class="asked">
          {asked.slice(0, MOST).map(({ asked, isAllowed, times }) => (
            <li key={`${isAllowed}${asked}`} class={isAllowed ? undefined : "refused"}>
              {isAllowed ? <Allowed /> : <Refused />}
              <Code>{asked}</Code>
              <span class="times">{number(times)}×</span>
            </li>
          ))}
          {asked.length <= MOST ? null : <li class="dim">and {number(asked.length - MOST)} more</li>}
        </ul>
      )}
      {asked.length === 0 ? null : (
        <p class="actions">
          <button type="button" class="primary" onClick={show}>
            Show these decisions
          </button>
        </p>
      )}
    </Dialog>
  )
}

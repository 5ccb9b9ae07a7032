/** What was found of a log that is a chain, in words. */
import type { Verified } from "../../../layers/node/audit/Audit.js"
import { seen } from "../../../policy/text/Quote.js"
import { count, type Row, rows } from "../../report/Table.js"
import type { Terminal } from "../../report/Terminal.js"

type Whole = Extract<Verified, { ok: true }>

const were = (number: number): string => count(number, "line was", "lines were")

const remarks = ({ earlier, isCut, torn }: Whole): ReadonlyArray<string> => [
  ...(earlier === 0 ? [] : [`${were(earlier)} there before the chain began: nothing can be said of these`]),
  ...(torn === 0
    ? []
    : [`${were(torn)} cut off by a program that was stopped, and the next one found it so`]),
  ...(isCut ? ["older files are gone, as 'keep_days' has them go; nothing can be said of these"] : [])
]

const AT_ITS_END =
  "lines that were cut off at its end are not missed: that takes an earlier head, as --head DIGEST"

const SINCE = "it goes on from the head that was given: nothing of that was cut off"

const KEEP =
  "keep it where whoever may write the log cannot; the next time: bailiwick audit verify --head DIGEST"

const whole = (found: Whole, given: string | undefined): ReadonlyArray<Row> => {
  const { head, lines, writers } = found
  const title =
    lines === 0
      ? "the log has no line in a chain yet"
      : `the log is as it was written: ${count(lines, "line")} of ${count(writers, "program")}`
  return [
    { mark: "good", title, detail: [...remarks(found), given === undefined ? AT_ITS_END : SINCE] },
    { mark: "good", title: `head ${head}`, detail: [KEEP] }
  ]
}

const REMEDY =
  "compare it with a copy that was shipped elsewhere; with another secret than it was written with, the first line of a chain looks so"

const altered = ({ at, detail }: Extract<Verified, { ok: false }>): Row => ({
  mark: "bad",
  title: `AUDIT_ALTERED: ${seen(at)}: ${seen(detail)}`,
  detail: [REMEDY]
})

/** Why nothing can be said. */
export const unchained = (isOff: boolean): string =>
  isOff
    ? "no log is kept: 'audit: off' stands in bailiwick.yaml"
    : "the log is no chain, so that nothing can be said of it; write 'audit: { chain: REF }' in bailiwick.yaml, where REF is a secret of your own, and what is written from then on is one"

/** Ends with a line break. */
export const verifyReport = (
  terminal: Terminal,
  said: { readonly why: string } | { readonly found: Verified; readonly head: string | undefined }
): string => {
  if ("why" in said) return rows(terminal, [{ mark: "bad", title: said.why }])
  const { found, head } = said
  return rows(terminal, found.ok ? whole(found, head) : [altered(found)])
}

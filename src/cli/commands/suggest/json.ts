/** A suggestion as one document. */
import type { Line } from "../../../audit/suggest/Suggestion.js"
import { difference } from "../../report/Difference.js"
import { asJson } from "../../report/SafeJson.js"
import { type Found, notes } from "./outcome.js"

export type Outcome = "suggested" | "applied" | "unchanged" | "nothing" | "refused"

const lineOf =
  (fate: "kept" | "narrower" | "unused") =>
  ({ doubt, file, last, line, seen, written }: Line) => ({
    written,
    file,
    line,
    seen,
    last: last ?? null,
    doubt: doubt ?? null,
    fate
  })

export const documentOf = (found: Found, outcome: Outcome, reason: string | undefined): string => {
  const { begins, besides, command, evidence, questions, since, subject, suggestion } = found
  const { generalised = [], kept = [], narrower = [], unused = [] } = suggestion ?? {}
  return `${asJson(
    {
      [subject.kind]: subject.id,
      file: subject.file,
      outcome,
      since: since ?? null,
      begins: begins ?? null,
      siblings: command.siblings,
      times: command.times,
      decisions: evidence.decisions,
      calls: evidence.calls,
      counted: suggestion?.counted ?? 0,
      leftOut: suggestion?.leftOut ?? 0,
      lost: evidence.lost,
      unused: unused.map(({ written }) => written),
      narrower: narrower.flatMap(({ file, line, to, written }) =>
        to.map((one) => ({
          from: written,
          to: one.written,
          seen: one.seen,
          last: one.last ?? null,
          file,
          line
        }))
      ),
      refused: questions.questions.map(({ additions, effect, last, risk, spec, times, tools }) => ({
        spec: spec === "" ? (additions[0]?.entry ?? "") : spec,
        times,
        risk,
        last,
        effect,
        tools,
        ...(subject.kind === "agent" ? {} : { add: additions })
      })),
      unasked: questions.unasked,
      generalised,
      lines: [
        ...kept.map(lineOf("kept")),
        ...narrower.map(lineOf("narrower")),
        ...unused.map(lineOf("unused"))
      ],
      notes: [...notes(found), ...besides],
      diff: suggestion === undefined ? "" : difference(subject.file, suggestion.before, suggestion.after),
      reason: reason ?? null
    },
    2
  )}\n`
}

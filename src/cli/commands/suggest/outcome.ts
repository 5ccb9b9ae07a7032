/** All that is said of a suggestion, gathered once for words and for the document. */
import type { Evidence } from "../../../audit/suggest/Evidence.js"
import type { Questions } from "../../../audit/suggest/Questions.js"
import type { Suggestion } from "../../../audit/suggest/Suggestion.js"
import type { SuggestCommand } from "../../Arguments.js"
import { count } from "../../report/Table.js"
import type { Log } from "../audit/Log.js"
import type { Subject } from "./subjects.js"

export interface Found {
  readonly subject: Subject
  readonly command: SuggestCommand
  readonly log: Log
  readonly evidence: Evidence
  /** From when on was asked for; without it, all there is. */
  readonly since: string | undefined
  readonly begins: string | undefined
  readonly remarks: ReadonlyArray<string>
  /** Nothing is suggested where nothing was allowed. */
  readonly suggestion: Suggestion | undefined
  readonly besides: ReadonlyArray<string>
  /** Tools that were called, and would not be offered any more, with why. */
  readonly unoffered: ReadonlyArray<string>
  readonly questions: Questions
}

/** `2026-01-31 09:30 UTC` */
export const minute = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`

const span = ({ begins, since }: Found): string =>
  since !== undefined
    ? ` since ${minute(since)}`
    : begins === undefined
      ? ""
      : `, which begins ${minute(begins)}`

/** Why nothing is suggested, where nothing is. */
export const nothing = (found: Found): string | undefined => {
  const { evidence, log, subject, suggestion } = found
  if (evidence.decisions === 0) {
    const why = log.setting?.workspace?.audit === "off" ? ": 'audit: off' stands in bailiwick.yaml" : ""
    return `there is no decision for ${subject.id} in the log${span(found)}${why}, so that nothing is suggested`
  }
  return suggestion === undefined
    ? `of ${count(evidence.decisions, "decision")} for ${subject.id} in the log${span(found)} none was allowed that would be allowed now, so that nothing is suggested`
    : undefined
}

const unasked = ({ questions }: Found): ReadonlyArray<string> => {
  const { floor, others, secrets, seldom, settled } = questions.unasked
  const parts = [
    [seldom, "fewer times than --times"],
    [secrets, "of secrets, which no log names"],
    [floor, "by what no policy lifts"],
    [
      settled,
      "that this policy allows: by an earlier or another policy, or because the tool does not declare it"
    ],
    [others, "for what no grant gives"]
  ] as const
  const said = parts.flatMap(([times, why]) => (times === 0 ? [] : [`${times} ${why}`]))
  return said.length === 0 ? [] : [`refused besides: ${said.join("; ")}`]
}

/** As many as somebody reads; the document has all. */
const SHOWN = 10

const some = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length <= SHOWN ? lines : [...lines.slice(0, SHOWN), `and ${lines.length - SHOWN} more like that`]

/** What is to be known of what it stands on. */
export const notes = (found: Found): ReadonlyArray<string> => {
  const { begins, command, evidence, log, remarks, since, suggestion } = found
  const isOthers = !("directory" in log.from)
  const isLate = since !== undefined && begins !== undefined && begins > since
  return [
    ...(isLate ? [`the log begins ${minute(begins)}, later than what was asked for`] : []),
    ...(evidence.lost === 0
      ? []
      : [`${count(evidence.lost, "entry", "entries")} could not be kept, and what they said is not known`]),
    ...remarks,
    ...(isOthers && evidence.allowed.some(({ asked }) => asked.capability.startsWith("files."))
      ? [
          "links were followed as they are on this machine; where the log was written they may have led elsewhere"
        ]
      : []),
    ...(suggestion === undefined || suggestion.leftOut === 0
      ? []
      : [
          `${count(suggestion.leftOut, "decision")} would not be allowed now, and ${suggestion.leftOut === 1 ? "is" : "are"} left out`
        ]),
    ...some(
      (suggestion?.generalised ?? []).map(
        ({ capability, scope, siblings }) =>
          `${capability}: ${scope} stands for the ${siblings} that were used in it (--siblings ${command.siblings})`
      )
    ),
    ...(suggestion?.crowded ?? []).map(
      (capability) =>
        `${capability}: too many different things were used to name them, so that all of it stays`
    ),
    ...(suggestion?.elsewhere ?? []).map(
      (list) =>
        `${list}: all of it stays, for it begins at \${CWD}, and some of what it allowed was in another working directory or under another text (--since)`
    ),
    ...(suggestion?.servers ?? []).map(
      (server) =>
        `all that the MCP server ${server} requires stays: its tools were called ${count(evidence.servers.get(server) ?? 0, "time")}`
    ),
    ...found.unoffered,
    ...unasked(found)
  ]
}

/** A suggestion for a reader: what it stands on, what could go, as a diff of the file, and what was refused. */
import type { Question } from "../../../audit/suggest/Questions.js"
import type { Line, Narrower } from "../../../audit/suggest/Suggestion.js"
import { difference, painted } from "../../report/Difference.js"
import { count, type Row, rows } from "../../report/Table.js"
import { cut, type Terminal } from "../../report/Terminal.js"
import { toneOf } from "../agents/ShownGrants.js"
import { type Found, minute, notes, nothing } from "./outcome.js"

const used = ({ last, seen }: Pick<Line, "last" | "seen">): string =>
  seen === 0
    ? "never used"
    : `used ${count(seen, "time")}${last === undefined ? "" : `, last ${minute(last)}`}`

const doubted = ({ doubt }: Line): ReadonlyArray<string> => (doubt === undefined ? [] : [`but ${doubt}`])

const unusedRow = (line: Line): Row => ({
  label: "unused",
  tone: "yellow",
  title: line.written,
  detail: [
    `line ${line.line}, ${used(line)}${line.seen === 0 ? "" : ": another line gives what was used of it"}`,
    ...doubted(line)
  ]
})

/** The whole of it is in the diff. */
const LONGEST = 500

const narrowerRow = (line: Narrower): Row => ({
  label: "narrower",
  tone: "green",
  title: line.written,
  detail: [
    ...line.to.map((one) => `→ ${cut(one.written, LONGEST)}  ${used(one)}`),
    `line ${line.line}`,
    ...doubted(line)
  ]
})

/** A question and no advice: who refuses is mostly right. */
const questionRow =
  ({ kind }: Found["subject"]) =>
  ({ additions, effect, last, risk, spec, times, tools }: Question): Row => {
    const added = additions.map(({ entry, key }) => `${key}: ${entry}`).join(", ")
    return {
      label: risk,
      tone: toneOf(risk),
      title: kind === "agent" ? spec : added,
      detail: [
        `is it to ${effect}?`,
        `refused ${count(times, "time")}, last ${minute(last)}, to ${tools.join(", ")}`
      ]
    }
  }

const standing = ({ evidence, suggestion }: Found): string => {
  const { calls, decisions, first, last } = evidence
  const from = first === undefined || last === undefined ? "" : ` from ${minute(first)} to ${minute(last)}`
  const counted = suggestion === undefined ? "" : `, ${suggestion.counted} of them allowed then and now`
  return `${count(decisions, "decision")} in ${count(calls, "call")}${from}${counted}`
}

/** Said each time: it is what makes a suggestion wider than what was used. */
const siblings = ({ command }: Found): string =>
  command.siblings === 0
    ? "siblings: 0, so that each thing is named by itself"
    : `siblings: ${command.siblings}, so that as many things side by side are written as the folder, suffix or prefix that holds them`

const QUESTION = "Refused again and again. Was any of it meant to be allowed?"

const asked = (seen: Terminal, { questions, subject }: Found): string =>
  questions.questions.length === 0
    ? ""
    : `\n${seen.bold(QUESTION)}\n${rows(seen, questions.questions.map(questionRow(subject)))}`

const changes = (seen: Terminal, found: Found): string => {
  const { besides, subject, suggestion } = found
  if (suggestion === undefined) return ""
  const { after, before, kept, narrower, unused } = suggestion
  if (narrower.length + unused.length === 0) {
    return `\n${kept.length === 0 ? "it holds nothing" : "every line is needed as it is"}\n`
  }
  const diff = painted(seen, difference(subject.file, before, after))
  return `\n${rows(seen, [...unused.map(unusedRow), ...narrower.map(narrowerRow)])}\n${diff}${besides.map((line) => `${line}\n`).join("")}`
}

export const wordsOf = (seen: Terminal, found: Found): string => {
  const { subject } = found
  const line = (text: string): string => cut(text, seen.isTTY ? seen.columns : Number.POSITIVE_INFINITY)
  const why = nothing(found)
  const said = [
    ...(why === undefined ? [standing(found), siblings(found)] : [why]),
    ...notes(found).map((note) => `- ${note}`)
  ]
  return [
    `${seen.bold(line(subject.id))}\n${seen.dim(line(subject.file))}\n`,
    rows(
      seen,
      said.map((title) => ({ title }))
    ),
    changes(seen, found),
    asked(seen, found)
  ].join("")
}

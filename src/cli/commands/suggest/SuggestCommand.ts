/** `suggest`: the least with which every decision of the log would have been allowed, and what was refused all the time. */

import { questionsOf } from "../../../audit/suggest/Questions.js"
import type { Authority } from "../../../policy/lattice/Authority.js"
import { required } from "../../../policy/server/Server.js"
import type { SuggestCommand } from "../../Arguments.js"
import { dialogue } from "../../prompt/Dialogue.js"
import { confirm } from "../../prompt/Line.js"
import { marked } from "../../report/Table.js"
import { terminal, visible } from "../../report/Terminal.js"
import { startOf } from "../../Since.js"
import type { Surroundings } from "../../Surroundings.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { settingOf } from "../../workspace/Setting.js"
import { NEXT_TURN } from "../agents/Besides.js"
import { logOf } from "../audit/Log.js"
import { gather } from "./gather.js"
import { documentOf, type Outcome } from "./json.js"
import { unoffered } from "./offers.js"
import { type Found, nothing } from "./outcome.js"
import { agentSubject, personalitySubject, placesOf, type Subject } from "./subjects.js"
import { wordsOf } from "./words.js"

const INTERRUPTED = 130

const requiresOf = ({ workspace }: Setting): ReadonlyMap<string, Authority> =>
  new Map(
    (workspace?.servers ?? []).flatMap(({ name, server }) => {
      const wanted = server && required(server)
      return wanted === undefined ? [] : [[name, wanted] as const]
    })
  )

const find = async (command: SuggestCommand, around: Surroundings): Promise<Found> => {
  const setting = settingOf(command, around)
  const subject: Subject =
    command.agent === undefined
      ? personalitySubject(command.personality ?? "", setting)
      : agentSubject(command.agent, setting)
  const log = await logOf(command, around)
  const since = command.since === undefined ? undefined : startOf(command.since, Date.now())
  const { begins, evidence, remarks } = await gather(log, subject, since, placesOf(log), around)
  const made =
    evidence.decisions === 0
      ? undefined
      : subject.suggest(evidence, { siblings: command.siblings, requires: requiresOf(setting) })
  const isStanding = made !== undefined && made.suggestion.counted > 0
  const [before, after] = [made?.suggestion.before, made?.suggestion.after]
  return {
    subject,
    command,
    log,
    evidence,
    since: since === undefined ? undefined : new Date(since).toISOString(),
    begins,
    remarks,
    suggestion: isStanding ? made.suggestion : undefined,
    besides: isStanding ? made.besides : [],
    unoffered:
      !isStanding || after === undefined || after === before
        ? []
        : unoffered(subject.policy, subject.after(after), evidence.tools.keys(), setting),
    questions: questionsOf(subject.policy, evidence, { times: command.times, gives: subject.gives })
  }
}

/** Whether there is something to write, and somebody wants it; else the outcome, and what is said of it. */
const agreed = async (
  found: Found,
  around: Surroundings
): Promise<true | { readonly reason: string; readonly exit: number }> => {
  const { command, subject } = found
  if (command.yes) return true
  const undone = `${subject.file} was not changed`
  const tty = command.json ? undefined : around.tty
  if (tty === undefined) {
    const nobody = command.json ? "with --json nobody is asked" : "there is no terminal to ask on"
    return { reason: `${nobody}, and ${undone}; add --yes to do it`, exit: 1 }
  }
  const answer = await dialogue(around, tty, (talk) => confirm(talk, `Write this to ${subject.file}?`))
  if (answer === true) return true
  const isStopped = answer !== false && answer.unanswered === "interrupted"
  return { reason: undone, exit: isStopped ? INTERRUPTED : 1 }
}

const written = (around: Surroundings, { subject, suggestion }: Found): string => {
  const seen = terminal({ ...around.stdout, env: around.env })
  const { narrower = [], unused = [] } = suggestion ?? {}
  return `${marked(seen, "good")} Wrote ${visible(subject.file)}: ${unused.length} gone, ${narrower.length} narrower\n${NEXT_TURN}\n`
}

/** Throws a `CliError`. */
export const suggest = async (command: SuggestCommand, around: Surroundings): Promise<number> => {
  const found = await find(command, around)
  const { subject, suggestion } = found
  const seen = terminal({ ...around.stdout, env: around.env })
  const conclude = async (outcome: Outcome, reason?: string): Promise<void> => {
    if (command.json) await around.print(documentOf(found, outcome, reason))
  }
  if (!command.json) await around.print(wordsOf(seen, found))
  const after = suggestion?.after
  if (suggestion === undefined || after === undefined || after === suggestion.before) {
    await conclude(suggestion === undefined ? "nothing" : "unchanged", nothing(found))
    return 0
  }
  if (!command.apply) {
    await conclude("suggested")
    if (!command.json) await around.print("nothing was written; --apply writes it, after a question\n")
    return 0
  }
  const answer = await agreed(found, around)
  if (answer !== true) {
    await conclude("refused", answer.reason)
    around.complain(`bailiwick: ${answer.reason}`)
    return answer.exit
  }
  await subject.write(after, around.signal)
  await conclude("applied")
  if (!command.json) await around.print(written(around, found))
  return 0
}

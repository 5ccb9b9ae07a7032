/** `run` and `explain`: one turn of calls under a personality. */
import { resolve } from "node:path"
import { Effect } from "effect"
import type { Call, Result } from "../../../registry/Call.js"
import type { Explained } from "../../../registry/explain/Explain.js"
import type * as Registry from "../../../registry/Registry.js"
import type * as Turn from "../../../registry/Turn.js"
import type { TurnCommand } from "../../Arguments.js"
import { readText } from "../../read.js"
import { forOperator } from "../../report/ForOperator.js"
import { report } from "../../report/Report.js"
import { terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { authorityOf } from "../../workspace/Acting.js"
import { settingOf } from "../../workspace/Setting.js"
import { toolsOf } from "../../workspace/Tools.js"
import { parseCalls } from "./calls.js"
import { endingSession, type Opened, openTurn, overBackends, refusalLine } from "./OpenTurn.js"

const readCalls = async ({ calls }: TurnCommand, around: Surroundings): Promise<ReadonlyArray<Call>> =>
  calls === "-"
    ? parseCalls("standard input", await around.stdin())
    : parseCalls(calls, readText(resolve(around.cwd, calls), calls))

type Planned = Result & Pick<Explained, "enclosed" | "sandbox">

const perform = (
  command: TurnCommand,
  registry: Registry.Registry,
  opened: Opened,
  calls: ReadonlyArray<Call>
): Effect.Effect<ReadonlyArray<Planned>> =>
  command.command === "run"
    ? endingSession(opened, registry, registry.execute(opened.turn, calls))
    : Effect.forEach(calls, (call) => registry.explain(opened.turn, call))

/** What a command would see is long: it is for those who ask. */
const withoutPlans = (results: ReadonlyArray<Planned>): ReadonlyArray<Result> =>
  results.map(({ enclosed: _, sandbox: __, ...rest }) => rest)

/** Whoever watches a terminal sees at once what is refused; the document on standard output has it again, with the rest. */
const showRefusals = ({ transcript }: Turn.Turn, around: Surroundings): void => {
  if (!around.stderr.isTTY) return
  transcript.listen((event) => {
    if (!event.allowed) around.complain(refusalLine(event, around))
  })
}

export const turn = async (command: TurnCommand, around: Surroundings): Promise<number> => {
  const tools = await toolsOf(settingOf(command, around), around)
  const authority = authorityOf(command, tools.setting)
  const calls = await readCalls(command, around)
  const opened = openTurn(command, authority, tools, around)
  const { text: read, turn: made } = opened
  if (command.command === "run") showRefusals(made, around)
  const names = calls.map(({ name }) => name)
  const performed = perform(command, tools.registry, opened, calls)
  // With --json nobody is asked.
  const tty = command.json ? undefined : around.tty
  const answers = await overBackends(performed, names, tools, around, {
    tty,
    acts: command.command === "run"
  })
  const results = command.sandbox ? answers : withoutPlans(answers)
  const text = command.json
    ? `${JSON.stringify({ results, events: made.transcript.events, text: read }, null, 2)}\n`
    : report(
        terminal({ ...around.stdout, env: around.env }),
        calls,
        results.map((one) => ({
          ...one,
          result: forOperator(one.result, tools.registry.tools.get(one.name), authority.policy)
        })),
        { explains: command.command === "explain", policy: authority.policy }
      )
  await around.print(text)
  return 0
}

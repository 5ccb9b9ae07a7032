/** `run` and `explain`: one turn of calls under a personality. */
import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import { Effect } from "effect"
import type { Category } from "../../../capabilities/Capabilities.js"
import * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import type * as Policy from "../../../policy/Policy.js"
import type * as Personality from "../../../policy/personality/Personality.js"
import { closest } from "../../../policy/text/Closest.js"
import { quote } from "../../../policy/text/Quote.js"
import type { Call, Result } from "../../../registry/Call.js"
import type * as Registry from "../../../registry/Registry.js"
import * as Turn from "../../../registry/Turn.js"
import type { TurnCommand } from "../../Arguments.js"
import { backendsFor } from "../../backends.js"
import { performing } from "../../performing.js"
import { isDirectory, readText, realPath } from "../../read.js"
import { report } from "../../report/Report.js"
import { terminal, visible } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { type Authority, authorityOf, backendSettings } from "../../workspace/Acting.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { settingOf } from "../../workspace/Setting.js"
import { toolsOf } from "../../workspace/Tools.js"
import { parseAttachments, whyNot } from "./attachmentList.js"
import { parseCalls } from "./calls.js"

const readCalls = async ({ calls }: TurnCommand, around: Surroundings): Promise<ReadonlyArray<Call>> =>
  calls === "-"
    ? parseCalls("standard input", await around.stdin())
    : parseCalls(calls, readText(resolve(around.cwd, calls), calls))

const readAttachments = (
  { attachments: file }: TurnCommand,
  { floor }: Policy.Policy,
  around: Surroundings
) => {
  if (file === undefined) return []
  const text = readText(resolve(around.cwd, file), file)
  const { attachments, warnings } = parseAttachments(file, text, whyNot(floor))
  for (const warning of warnings) around.complain(warning)
  return attachments
}

/** A name that no tool has is most likely a slip, but a toolset may also be written for more tools than these. */
const warnOfUnknownTools = (
  { id, toolset = [] }: Personality.Personality,
  { tools }: Registry.Registry,
  around: Surroundings
): void => {
  for (const name of toolset) {
    if (tools.has(name)) continue
    const meant = closest(name, tools.keys())
    const hint = meant === undefined ? "" : `; did you mean '${meant}'?`
    around.complain(`the toolset of ${id} names ${quote(name)}, which is no tool here${hint}`)
  }
}

const warnOfUnheldCommands = ({ sandbox }: Policy.Policy, around: Surroundings): void => {
  if (sandbox !== "preferred") return
  around.complain(
    "a sandbox is preferred, and this release has none: commands run, and the kernel does not hold them; write 'sandbox: required' to refuse them"
  )
}

const categoriesOf = (calls: ReadonlyArray<Call>, { tools }: Registry.Registry): ReadonlySet<Category> =>
  new Set(
    calls.flatMap(({ name }) => {
      const tool = tools.get(name)
      return tool === undefined ? [] : (Object.keys(tool.capabilities) as ReadonlyArray<Category>)
    })
  )

const perform = (
  command: TurnCommand,
  registry: Registry.Registry,
  turn: Turn.Turn,
  calls: ReadonlyArray<Call>
) => {
  const results: Effect.Effect<ReadonlyArray<Result>> =
    command.command === "run"
      ? registry.execute(turn, calls)
      : Effect.forEach(calls, (call) => registry.explain(turn, call))
  // A session that nobody named ends with the turn, and leaves nothing in the store.
  return command.session === undefined && command.command === "run"
    ? Effect.ensuring(results, Effect.ignore(registry.endSession(turn.session)))
    : results
}

/** Where a turn starts: where it is told to, else in the root of the agent when the shell stands outside of it. */
const workdirOf = ({ workdir }: TurnCommand, { agent }: Authority, setting: Setting): string => {
  const root = agent?.root
  if (workdir !== undefined || root === undefined || !isDirectory(root)) return setting.workdir
  const real = realPath(root)
  return isBelow(setting.workdir, real) ? setting.workdir : real
}

const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root === "/" ? root : `${root}/`)

const warn = (
  { agent, personality, policy }: Authority,
  registry: Registry.Registry,
  around: Surroundings
): void => {
  if (personality !== undefined) warnOfUnknownTools(personality, registry, around)
  for (const warning of agent?.warnings ?? [])
    around.complain(AgentRecord.message(agent?.file ?? "", warning))
  warnOfUnheldCommands(policy, around)
}

/** Whoever watches a terminal sees at once what is refused; the document on standard output has it again, with the rest. */
const showRefusals = ({ transcript }: Turn.Turn, { complain, env, stderr }: Surroundings): void => {
  if (!stderr.isTTY) return
  const { yellow } = terminal({ ...stderr, env })
  transcript.listen(({ agent, allowed, code, detail, tool }) => {
    if (allowed) return
    const who = agent === undefined ? tool : `${agent}, ${tool}`
    complain(`${yellow("refused")} ${visible(`${who}: ${code}: ${detail}`).replaceAll("\n", " ")}`)
  })
}

export const turn = async (command: TurnCommand, around: Surroundings): Promise<number> => {
  const { layerFor, registry, setting } = await toolsOf(settingOf(command, around), around)
  const authority = authorityOf(command, setting)
  const { policy } = authority
  const calls = await readCalls(command, around)
  const made = Turn.make({
    session: command.session ?? randomUUID(),
    policy,
    workdir: workdirOf(command, authority, setting),
    home: setting.home,
    attachments: readAttachments(command, policy, around)
  })
  warn(authority, registry, around)
  if (command.command === "run") showRefusals(made, around)
  const backends = await backendsFor(categoriesOf(calls, registry), backendSettings(setting, around))
  const services = layerFor(calls.map(({ name }) => name))
  const results = await performing(perform(command, registry, made, calls), { backends, services }, around)
  const text = command.json
    ? `${JSON.stringify({ results, events: made.transcript.events }, null, 2)}\n`
    : report(terminal({ ...around.stdout, env: around.env }), calls, results, {
        explains: command.command === "explain",
        policy
      })
  await around.print(text)
  return 0
}

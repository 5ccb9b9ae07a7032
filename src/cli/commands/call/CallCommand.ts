/** `call`: one call of one tool, and the help of a tool. */
import { Effect } from "effect"
import type { Policy } from "../../../policy/Policy.js"
import { serverOf } from "../../../policy/ToolOrigin.js"
import { closest } from "../../../policy/text/Closest.js"
import { quote } from "../../../policy/text/Quote.js"
import type * as ToolResult from "../../../registry/ToolResult.js"
import type * as Turn from "../../../registry/Turn.js"
import { Progress } from "../../../tools/Progress.js"
import * as Tool from "../../../tools/Tool.js"
import type { CallCommand, CallHelpCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import { helpFor } from "../../Help.js"
import { forOperator } from "../../report/ForOperator.js"
import { reporting } from "../../report/Progress.js"
import { failure } from "../../report/Report.js"
import { cut, terminal } from "../../report/Terminal.js"
import { valueText } from "../../report/Value.js"
import type { Surroundings } from "../../Surroundings.js"
import { parseObject } from "../../strictJson.js"
import { authorityOf } from "../../workspace/Acting.js"
import { settingOf } from "../../workspace/Setting.js"
import { surfaceOf, type Tools, toolsOf } from "../../workspace/Tools.js"
import type { Workspace } from "../../workspace/Workspace.js"
import { endingSession, openTurn, overBackends, refusalLine } from "../turn/OpenTurn.js"
import { argumentsOf, parametersOf } from "./parameters.js"
import { toolHelp } from "./toolHelp.js"

/** The tools of a server are those that the lock has. */
const unknownOfServer = (name: string, server: string, workspace: Workspace | undefined): string => {
  const entry = workspace?.servers.find((one) => one.name === server)
  if (entry === undefined) {
    return `there is no tool ${quote(name)}: the MCP server ${quote(server)} is not configured; 'bailiwick tools mcp list' lists those that are`
  }
  return entry.server === undefined
    ? `the MCP server ${server} is offered to nobody; 'bailiwick tools mcp show ${server}' says why`
    : `there is no tool ${quote(name)} in the lock; run 'bailiwick manifest' to accept what the MCP server ${server} offers`
}

const toolNamed = ({ registry, setting: { workspace } }: Tools, name: string): Tool.Any => {
  const found = registry.tools.get(name)
  if (found !== undefined) return found
  if (name.includes("=")) {
    throw new CliError(
      `'call' needs the name of a tool before ${quote(name)}; write 'bailiwick call TOOL KEY=VALUE'`
    )
  }
  const server = serverOf(name)
  if (server !== undefined) throw new CliError(unknownOfServer(name, server, workspace))
  const near = closest(name, registry.tools.keys())
  throw new CliError(
    `there is no tool ${quote(name)}; ${near === undefined ? "'bailiwick tools list' lists them" : `did you mean '${near}'?`}`
  )
}

const argumentsFor = async (
  tool: Tool.Any,
  { given }: CallCommand,
  around: Surroundings
): Promise<Readonly<Record<string, unknown>>> =>
  given.length === 1 && given[0] === "-"
    ? parseObject("standard input", await around.stdin())
    : argumentsOf(parametersOf(tool.name, Tool.jsonSchema(tool)), given)

/** Bad input is bad usage, whoever finds it. */
const exitOf = (result: ToolResult.ToolResult): number =>
  result.ok ? 0 : result.code === "input_invalid" ? 2 : 1

/** What was refused on the way, and is not what ended the call. */
const refusedOnTheWay = ({ transcript }: Turn.Turn, result: ToolResult.ToolResult) => {
  const denial = result.ok ? undefined : result.denial
  return transcript.events.filter(
    ({ allowed, code, detail }) => !allowed && !(code === denial?.code && detail === denial?.detail)
  )
}

const LONGEST = 2000

/** What a reader has to know beside the answer, on standard error. */
const complain = (
  result: ToolResult.ToolResult,
  { json }: CallCommand,
  policy: Policy,
  around: Surroundings
): void => {
  if (result.ok) {
    if (result.truncated === true && !json) {
      around.complain("the answer is longer than the budget of a turn, and was cut")
    }
    return
  }
  if (json) around.complain(cut(`bailiwick: ${result.code}: ${result.error}`, LONGEST))
  else
    for (const line of failure(terminal({ ...around.stderr, env: around.env }), result, policy))
      around.complain(line)
}

/** `tools` are those of the workspace. Throws a `CliError`. */
export const call = async (command: CallCommand, around: Surroundings, gather = toolsOf): Promise<number> => {
  const tools = await gather(settingOf(command, around), around)
  const { registry } = tools
  const tool = toolNamed(tools, command.tool)
  const args = await argumentsFor(tool, command, around)
  const authority = authorityOf(command, tools.setting)
  const opened = openTurn(command, authority, tools, around)
  const { turn } = opened
  const progress = reporting(around, tool.name)
  const calls = [{ id: "1", name: tool.name, args }] as const
  const executed = endingSession(opened, registry, registry.execute(turn, calls))
  const watched = progress.isShown
    ? Effect.provide(
        executed,
        Progress.layer((event) => Effect.sync(() => progress.show(event)))
      )
    : executed
  const asked = { tty: command.json ? undefined : around.tty, quietly: progress.quietly }
  const [{ result }] = await overBackends(watched, [tool.name], tools, around, asked).finally(progress.end)
  if (around.stderr.isTTY) {
    for (const event of refusedOnTheWay(turn, result)) around.complain(refusalLine(event, around))
  }
  complain(forOperator(result, tool, authority.policy), command, authority.policy, around)
  if (command.json) await around.print(`${JSON.stringify(result, null, 2)}\n`)
  else if (result.ok) {
    await around.print(valueText(terminal({ ...around.stdout, env: around.env }), result.value))
  }
  return exitOf(result)
}

/** The only help that loads tools: what one takes is written in it, and nowhere else. */
export const callHelp = async (
  command: CallHelpCommand,
  around: Surroundings,
  gather = toolsOf
): Promise<number> => {
  if (command.tool === undefined) {
    await around.print(helpFor(["call", "--help"]) ?? "")
    return 0
  }
  const tools = await gather(settingOf(command, around), around)
  const tool = toolNamed(tools, command.tool)
  const schema = Tool.jsonSchema(tool)
  const described = { name: tool.name, description: tool.description, surface: surfaceOf(tools, tool) }
  const text = command.json
    ? `${JSON.stringify({ ...described, parameters: schema }, null, 2)}\n`
    : toolHelp(terminal({ ...around.stdout, env: around.env }), described, parametersOf(tool.name, schema))
  await around.print(text)
  return 0
}

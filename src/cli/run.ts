/**
 * One command from its arguments to its exit code. Whatever goes wrong is one sentence, and never a stack trace. Throws
 * a `HandOver` where another program is to run it.
 */
import { parseArguments } from "./Arguments.js"
import { CliError } from "./CliError.js"
import { agents } from "./commands/agents/AgentsCommand.js"
import { audit } from "./commands/audit/AuditCommand.js"
import { call, callHelp } from "./commands/call/CallCommand.js"
import { completeWords, completion } from "./commands/completion/CompletionCommand.js"
import { doctor } from "./commands/doctor/DoctorCommand.js"
import { init } from "./commands/init/InitCommand.js"
import { manifest } from "./commands/manifest/ManifestCommand.js"
import { mcpServe } from "./commands/mcp/McpServeCommand.js"
import { runner } from "./commands/runner/RunnerCommand.js"
import { skills } from "./commands/skills/SkillsCommand.js"
import { suggest } from "./commands/suggest/SuggestCommand.js"
import { servers } from "./commands/tools/mcp/ServersCommand.js"
import { toolsList } from "./commands/tools/ToolsCommand.js"
import { turn } from "./commands/turn/TurnCommand.js"
import { ended } from "./Ending.js"
import { HandOver } from "./HandOver.js"
import { cut } from "./report/Terminal.js"
import type { Surroundings } from "./Surroundings.js"

const INTERRUPTED = 130

const LONGEST = 2000

const perform = (args: ReadonlyArray<string>, around: Surroundings): Promise<number> => {
  if (args[0] === "__complete") return completeWords(args.slice(1), around)
  const command = parseArguments(args)
  switch (command.command) {
    case "run":
    case "explain":
      return turn(command, around)
    case "call":
      return call(command, around)
    case "call --help":
      return callHelp(command, around)
    case "tools list":
      return toolsList(command, around)
    case "tools mcp list":
    case "tools mcp add":
    case "tools mcp show":
    case "tools mcp who":
    case "tools mcp remove":
      return servers(command, around)
    case "agents list":
    case "agents who":
    case "agents capabilities":
    case "agents create":
    case "agents grant":
    case "agents revoke":
      return agents(command, around)
    case "skills list":
    case "skills show":
    case "skills check":
      return skills(command, around)
    case "mcp serve":
      return mcpServe(command, around)
    case "runner":
      return runner(command, around)
    case "doctor":
      return doctor(command, around)
    case "audit":
    case "audit verify":
      return audit(command, around)
    case "suggest":
      return suggest(command, around)
    case "init":
      return init(command, around)
    case "manifest":
      return manifest(command, around)
    case "completion":
      return completion(command, around)
  }
}

export const run = async (args: ReadonlyArray<string>, around: Surroundings): Promise<number> => {
  try {
    return await perform(args, around)
  } catch (error) {
    if (error instanceof HandOver) throw error
    if (around.signal.aborted) return INTERRUPTED
    const sentence =
      error instanceof CliError ? error.message : "something failed that should not; please report it"
    const detail =
      error instanceof CliError || !(error instanceof Error) ? "" : ` (${error.name}: ${error.message})`
    around.complain(cut(`bailiwick: ${sentence}${detail}`, LONGEST))
    return error instanceof CliError ? error.exit : 2
  } finally {
    await ended(around)
  }
}

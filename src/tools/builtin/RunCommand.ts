/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Process } from "../../capabilities/process/Process.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { ArgumentError } from "./ArgumentError.js"
import { cwd, described, optional, Something, timeoutMs } from "./fields.js"
import { Output, shown } from "./output.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const runCommand = Tool.make({
  name: "run_command",
  description:
    "Runs one command with its arguments, without a shell: nothing in an argument is expanded or split. An exit code " +
    "other than 0 is an answer, not an error.",
  parameters: Schema.Struct({
    command: described(Something, "The name of the command alone, such as git"),
    args: optional(Schema.Array(Schema.String), "Its arguments, one to an item"),
    cwd,
    env: optional(
      Schema.Record({ key: Schema.String, value: Schema.String }),
      "Variables to set, beside the few that every command gets"
    ),
    stdin: optional(Schema.String, "Text for its standard input"),
    timeoutMs
  }),
  success: Output,
  failure: ArgumentError,
  category: "process",
  outputIsUntrusted: true,
  needs: ["process.exec"],
  capabilities: {
    process: { allowedBinaries: ["*"] },
    network: { allowedHosts: ["*"], for: "children" },
    fs_reach: { read: "from-personality", write: "from-personality" }
  },
  asks: ({ args, command, cwd }) => [Ask.exec(command, args, cwd)],
  execute: ({ args = [], command, cwd, env, stdin, timeoutMs }) =>
    /\s/.test(command)
      ? new ArgumentError({
          code: "ARGUMENT_INVALID",
          detail:
            "the command holds blanks: give the name alone as command and each argument as an item of args, or use run_shell"
        })
      : Effect.map(
          Process.spawn(command, args, {
            ...(cwd === undefined ? {} : { cwd }),
            ...(env === undefined ? {} : { env }),
            ...(stdin === undefined ? {} : { stdin }),
            ...(timeoutMs === undefined ? {} : { timeoutMillis: timeoutMs })
          }),
          shown
        )
})

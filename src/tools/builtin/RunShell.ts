/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Process } from "../../capabilities/process/Process.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { cwd, described, Something, timeoutMs } from "./fields.js"
import { Output, shown } from "./output.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const runShell = Tool.make({
  name: "run_shell",
  description:
    "Runs a script in sh, with pipes and expansion. For one command with arguments run_command is safer, because " +
    "nothing in them is expanded. An exit code other than 0 is an answer, not an error.",
  parameters: Schema.Struct({
    script: described(Something, "The text of the script"),
    cwd,
    timeoutMs
  }),
  success: Output,
  category: "process",
  outputIsUntrusted: true,
  needs: ["process.eval"],
  capabilities: {
    process: { allowedBinaries: ["*"] },
    network: { allowedHosts: ["*"], for: "children" },
    fs_reach: { read: "from-personality", write: "from-personality" }
  },
  asks: ({ cwd }) => [Ask.shell(cwd)],
  execute: ({ cwd, script, timeoutMs }) =>
    Effect.map(
      Process.shell(script, {
        ...(cwd === undefined ? {} : { cwd }),
        ...(timeoutMs === undefined ? {} : { timeoutMillis: timeoutMs })
      }),
      shown
    )
})

/** The options of `suggest`, and which of them go together. */
import { CliError } from "./CliError.js"
import { amountOf } from "./optionValues.js"
import { type Since, sinceOf } from "./Since.js"

export interface SuggestOptions {
  /** Logs to read in place of the workspace's own; `-` is standard input. */
  readonly files: ReadonlyArray<string>
  /** For whom: one of the two. */
  readonly agent: string | undefined
  readonly personality: string | undefined
  readonly since: Since | undefined
  /** So many things side by side are written as what holds them; 0 is never. */
  readonly siblings: number
  /** What was refused so often is asked about. */
  readonly times: number
  readonly apply: boolean
  readonly yes: boolean
}

const SIBLINGS = 3
const TIMES = 3

export const suggestOptions = (
  files: ReadonlyArray<string>,
  option: (name: string) => string | undefined,
  flag: (name: string) => boolean
): SuggestOptions => {
  const [agent, personality] = [option("agent"), option("personality")]
  if ((agent === undefined) === (personality === undefined)) {
    throw new CliError(
      agent === undefined
        ? "'suggest' needs to know for whom; add --agent with a record, or --personality with a directory or an id"
        : "'suggest' is for an agent or for a personality; keep one of --agent and --personality"
    )
  }
  const [apply, yes] = [flag("apply"), flag("yes")]
  if (yes && !apply) throw new CliError("--yes goes with --apply; without it nothing is asked")
  const [since, siblings, times] = [option("since"), option("siblings"), option("times")]
  return {
    files,
    agent,
    personality,
    since: since === undefined ? undefined : sinceOf(since),
    siblings: siblings === undefined ? SIBLINGS : amountOf("siblings", siblings),
    times: times === undefined ? TIMES : Math.max(1, amountOf("times", times)),
    apply,
    yes
  }
}

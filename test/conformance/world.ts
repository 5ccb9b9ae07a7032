/** A workspace with agents in it, whose calls go through the command line as an operator would send them. */
import { Folder } from "../cli/workspace.js"

/** What came of one call. */
export interface Answer {
  readonly ok: boolean
  readonly value?: Readonly<Record<string, unknown>>
  readonly code?: string
  readonly error?: string
  readonly denial?: Readonly<Record<string, unknown>>
}

export interface Answered {
  readonly result: Answer
  readonly revision: string
  readonly would?: { readonly file: string; readonly line: number; readonly written: string }
}

export const quoted = (...grants: ReadonlyArray<string>): string =>
  `capabilities: [${grants.map((grant) => JSON.stringify(grant)).join(", ")}]`

export class World extends Folder {
  constructor(files: Readonly<Record<string, string>> = {}) {
    super({ "bailiwick.yaml": "sandbox: off\n", "home/p/f": "inside\n", "home/q/f": "outside\n", ...files })
  }

  agent(name: string, ...front: ReadonlyArray<string>): this {
    this.write(`records/agents/${name}.md`, ["---", "class: agent", ...front, "---", "", "Body\n"].join("\n"))
    return this
  }

  async send(
    command: "run" | "explain",
    agent: string,
    calls: ReadonlyArray<readonly [name: string, args: object]>
  ): Promise<{ readonly answers: ReadonlyArray<Answered>; readonly stderr: string }> {
    const sent = calls.map(([name, args], at) => ({ id: String(at), name, args }))
    const outcome = await this.bailiwick([command, "-", "--agent", agent, "--json"], {
      stdin: JSON.stringify(sent)
    })
    if (outcome.code !== 0) throw new Error(outcome.stderr)
    return { answers: JSON.parse(outcome.stdout).results, stderr: outcome.stderr }
  }

  /** One call of an agent that holds what the lines of its front matter say. */
  async ask(front: string | ReadonlyArray<string>, name: string, args: object): Promise<Answer> {
    const { answers } = await this.agent("scout", ...[front].flat()).send("run", "scout", [[name, args]])
    const [only] = answers
    if (only === undefined) throw new Error("no answer")
    return only.result
  }
}

/** Why a call was refused, in one word; `allowed` if it was not. */
export const verdict = ({ code, denial, ok }: Answer): string =>
  ok ? "allowed" : String(denial?.reason ?? code)

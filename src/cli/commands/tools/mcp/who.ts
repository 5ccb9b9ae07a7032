/** `tools mcp who`: the agents and personalities that can use a server, and what each of the others lacks. */
import { Either } from "effect"
import { holding } from "../../../../policy/lattice/Remedy.js"
import * as Policy from "../../../../policy/Policy.js"
import * as Personality from "../../../../policy/personality/Personality.js"
import * as Requirement from "../../../../policy/Requirement.js"
import * as Server from "../../../../policy/server/Server.js"
import * as ServerNotation from "../../../../policy/server/ServerNotation.js"
import type { ServersCommand } from "../../../Arguments.js"
import { CliError } from "../../../CliError.js"
import { count, type Row, rows } from "../../../report/Table.js"
import { terminal } from "../../../report/Terminal.js"
import type { Surroundings } from "../../../Surroundings.js"
import { agentPolicy } from "../../../workspace/LoadAgent.js"
import type { Setting } from "../../../workspace/LoadPersonality.js"
import { personalitiesOf, recordsOf } from "../../doctor/Input.js"
import { entryNamed, foundIn, placeOf } from "./found.js"

interface Subject {
  readonly kind: "agent" | "personality"
  readonly id: string
  readonly file: string
  readonly policy: Policy.Policy
}

const subjectsOf = async (setting: Setting, around: Surroundings): Promise<ReadonlyArray<Subject>> => {
  const { agents, workspace } = await recordsOf(setting, around)
  for (const { detail, file, remedy } of workspace?.records.unreadable ?? []) {
    around.complain(`${file}: ${detail}; ${remedy}`)
  }
  return [
    ...agents
      .filter((agent) => agent.class === "agent")
      .map(
        (agent): Subject => ({
          kind: "agent",
          id: agent.id,
          file: agent.file,
          policy: agentPolicy(agent, setting)
        })
      ),
    ...personalitiesOf(setting).flatMap(
      ({ file, name, read }): ReadonlyArray<Subject> =>
        Either.isLeft(read)
          ? []
          : [{ kind: "personality", id: name, file, policy: Personality.policy(read.right) }]
    )
  ]
}

interface Answer {
  readonly kind: Subject["kind"]
  readonly id: string
  readonly file: string
  /** What it would have to hold besides, as grants; and what its lists of tools would have to name. */
  readonly lacks: ReadonlyArray<string>
}

const rowOf = ({ file, id, kind, lacks }: Answer): Row => ({
  mark: lacks.length === 0 ? "good" : "bad",
  label: kind,
  tone: lacks.length === 0 ? "green" : "dim",
  title: id,
  detail: lacks.length === 0 ? [file] : [`lacks ${lacks.join(", ")}`]
})

/** Throws a `CliError` where the server can be used by nobody, whatever they hold. */
export const who = async (command: ServersCommand, around: Surroundings): Promise<number> => {
  const place = placeOf(command, around)
  const entry = entryNamed(command.server, place)
  const required = entry.server && Server.required(entry.server)
  if (required === undefined) {
    const why = ServerNotation.whyUnusable(entry, place.file) ?? "what it requires cannot be read"
    throw new CliError(`nobody can use ${entry.name}: ${why}`, 1)
  }
  const found = foundIn(entry, place)
  const names = found.tools.size === 0 ? [`mcp__${entry.name}__tool`] : [...found.tools.keys()]
  const answers = (await subjectsOf(place.setting, around)).map(({ file, id, kind, policy }): Answer => {
    const lacking = Requirement.lacking(policy, required)
    const offered = names.some((name) => Policy.offers(policy, { name, server: entry.name }))
    return {
      kind,
      id,
      file,
      lacks: [
        ...new Set([
          ...lacking.map(({ capability, patterns }) => holding(capability, patterns).remedy),
          ...(offered ? [] : [Policy.remedyFor(policy, { name: names[0] ?? "", server: entry.name })])
        ])
      ]
    }
  })
  const [can, others] = [
    answers.filter(({ lacks }) => lacks.length === 0),
    answers.filter(({ lacks }) => lacks.length > 0)
  ]
  if (command.json) {
    const document = { server: entry.name, requires: found.requires, can, others }
    await around.print(`${JSON.stringify(document, null, 2)}\n`)
    return 0
  }
  const screen = terminal({ ...around.stdout, env: around.env })
  const total = `${can.length} of ${count(answers.length, "agent or personality", "agents and personalities")} can use ${entry.name}`
  await around.print(`${rows(screen, [...can, ...others].map(rowOf))}${screen.bold(total)}\n`)
  return 0
}

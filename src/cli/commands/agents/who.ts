/** `agents who`: the agents that may do something, each with the lines that let it. */
import { Either } from "effect"
import * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import * as Grant from "../../../policy/grant/Grant.js"
import * as Authority from "../../../policy/lattice/Authority.js"
import type { Place } from "../../../policy/Source.js"
import type { AgentsWhoCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import { count, type Row, rows } from "../../report/Table.js"
import { type Terminal, terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { agentPlaces } from "../../workspace/LoadAgent.js"
import { settingOf } from "../../workspace/Setting.js"
import { recordsOf } from "../doctor/Input.js"
import { specsOf } from "./change.js"

/**
 * What is asked for, once for each place that it may be meant in. A bare name of what gives nothing alone asks for any
 * scope: it is the question of who has something of the name.
 */
interface Asked {
  readonly grant: Grant.Grant
  readonly authorities:
    | "any scope"
    | ((near: ReadonlyArray<AgentRecord.Held>) => ReadonlyArray<Authority.Authority>)
}

interface Line extends Place {
  readonly written: string
}

interface Found {
  readonly agent: string
  readonly file: string
  readonly by: ReadonlyArray<Line>
}

type Root = NonNullable<Grant.Compiled["root"]>

const rootsOf = (near: ReadonlyArray<AgentRecord.Held>): ReadonlyArray<Root> => [
  ...new Map(
    near.flatMap(({ compiled: { root } }) => (root === undefined ? [] : [[root.path, root]]))
  ).values()
]

const refuse = (reason: string): never => {
  throw new CliError(`Invalid capability spec: ${reason}`, 1)
}

/** Whole paths need no root; others are relative to one. */
const rootedIn = (grant: Grant.Grant): Grant.Grant => {
  const { in: root, paths = [] } = grant.scope
  const whole = paths.filter((path) => /^(?:\/|~(?:\/|$))/.test(path))
  if (root !== undefined || whole.length === 0) return grant
  return whole.length === paths.length
    ? { ...grant, scope: { ...grant.scope, in: "/" } }
    : refuse(
        `${Grant.print(grant)} has whole paths beside relative ones; name the directory of these as 'in'`
      )
}

const askedIn = (grant: Grant.Grant, { home, real }: AgentRecord.Places): Asked => {
  const values = Object.values(grant.scope)
  if (values.some((value) => value.length === 0)) {
    refuse(
      `${Grant.print(grant)} has an empty list, which asks for nothing; write what is asked for, or leave the key out`
    )
  }
  const compiled = Either.getOrThrow(Grant.compile(rootedIn(grant), { home, real }))
  const { inert } = compiled
  if (inert === undefined) {
    const authority = Grant.authority([compiled])
    return { grant, authorities: () => [authority] }
  }
  if (values.length === 0) return { grant, authorities: "any scope" }
  if (inert.reason !== "no root") refuse(`${inert.detail}; ${inert.remedy}`)
  // Without 'in' it is asked for in whatever root an agent has.
  return {
    grant,
    authorities: (near) =>
      rootsOf(near).flatMap((bound) =>
        Either.match(Grant.compile(grant, { home, real, bound }), {
          onLeft: () => [],
          onRight: (there) => (there.inert === undefined ? [Grant.authority([there])] : [])
        })
      )
  }
}

type Extent = "all" | "part" | "none"

interface Answer {
  readonly extent: Extent
  readonly by: ReadonlyArray<AgentRecord.Held>
}

const NOTHING: Answer = { extent: "none", by: [] }

/** One line that gives all of it, else those that give a part each: together they may give all. */
const answerTo = (authority: Authority.Authority, near: ReadonlyArray<AgentRecord.Held>): Answer => {
  const alone = near.find((one) => Authority.within(authority, AgentRecord.authorityOf(one)))
  if (alone !== undefined) return { extent: "all", by: [alone] }
  const parts = near.filter(
    (one) => !Authority.isNothing(Authority.meet(authority, AgentRecord.authorityOf(one)))
  )
  if (parts.length === 0) return NOTHING
  const together = Authority.joinAll(parts.map(AgentRecord.authorityOf))
  return { extent: Authority.within(authority, together) ? "all" : "part", by: parts }
}

const answer = ({ held }: AgentRecord.AgentRecord, { authorities, grant }: Asked): Answer => {
  const near = held.filter(({ effective, inert }) => inert === undefined && effective.name === grant.name)
  if (near.length === 0) return NOTHING
  if (authorities === "any scope") return { extent: "all", by: near }
  const answers = authorities(near).map((authority) => answerTo(authority, near))
  const parts = answers.filter(({ extent }) => extent === "part")
  return (
    answers.find(({ extent }) => extent === "all") ??
    (parts.length === 0 ? NOTHING : { extent: "part", by: parts.flatMap(({ by }) => by) })
  )
}

/** Of several, each must be held. */
const extentOf = (answers: ReadonlyArray<Answer>): Extent =>
  answers.every(({ extent }) => extent === "all")
    ? "all"
    : answers.some(({ extent }) => extent !== "none")
      ? "part"
      : "none"

const found = ({ file, id }: AgentRecord.AgentRecord, answers: ReadonlyArray<Answer>): Found => ({
  agent: id,
  file,
  by: [...new Set(answers.flatMap(({ by }) => by))].map(({ effective, line }) => ({
    file,
    line,
    written: Grant.print(effective)
  }))
})

const rowOf =
  (extent: Extent) =>
  ({ agent, by }: Found): Row => ({
    mark: extent === "all" ? "good" : "warning",
    label: extent,
    tone: extent === "all" ? "green" : "yellow",
    title: agent,
    detail: by.map(({ file, line, written }) => `${written} in ${file}:${line}`)
  })

interface Sorted {
  readonly asked: ReadonlyArray<string>
  readonly agents: ReadonlyArray<Found>
  readonly partly: ReadonlyArray<Found>
}

const text = (seen: Terminal, { agents, asked, partly }: Sorted): string => {
  const may = agents.length === 0 ? "no agent" : count(agents.length, "agent")
  const some = partly.length === 0 ? "" : `, ${partly.length} a part of it`
  return `${rows(seen, [...agents.map(rowOf("all")), ...partly.map(rowOf("part"))])}${seen.bold(
    `${may} may do ${asked.join(" and ")}${some}`
  )}\n`
}

export const who = async (command: AgentsWhoCommand, around: Surroundings): Promise<number> => {
  const setting = settingOf(command, around)
  if (setting.workspace === undefined) {
    throw new CliError("there is no workspace here to look for agents in; write a bailiwick.yaml")
  }
  const places = agentPlaces(setting)
  const specs = Either.getOrThrowWith(specsOf(command.spec, places), (reason) => new CliError(reason, 1))
  const asked = specs.map((grant) => askedIn(grant, places))
  const { agents, workspace } = await recordsOf(setting, around)
  for (const { detail, file, remedy } of workspace?.records.unreadable ?? []) {
    around.complain(`${file}: ${detail}; ${remedy}`)
  }
  const answered = agents.map((agent) => {
    const answers = asked.map((one) => answer(agent, one))
    return { extent: extentOf(answers), found: found(agent, answers) }
  })
  const of = (wanted: Extent) => answered.flatMap(({ extent, found }) => (extent === wanted ? [found] : []))
  const sorted: Sorted = {
    asked: specs.map((grant) => Grant.print(grant)),
    agents: of("all"),
    partly: of("part")
  }
  await around.print(
    command.json
      ? `${JSON.stringify(sorted, null, 2)}\n`
      : text(terminal({ ...around.stdout, env: around.env }), sorted)
  )
  return 0
}

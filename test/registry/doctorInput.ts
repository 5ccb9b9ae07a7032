/** A workspace as data: agents, personalities and tools for the doctor to look at. */
import { Builtin, Personality, Registry, Tool } from "bailiwick"
import { Effect, type Either, Schema } from "effect"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Doctor from "../../src/registry/doctor/Doctor.js"

export const HOME = "/home/u"
export const RECORDS = "/home/u/.ws/records"

/** The front matter of `agents/scout`: `class: agent` is line 2 of its file, and the first line given is line 3. */
export const agent = (
  lines: ReadonlyArray<string>,
  places: AgentRecord.Places = {},
  id = "agents/scout"
): AgentRecord.AgentRecord =>
  AgentRecord.parse(
    { id, file: `${RECORDS}/${id}.md`, text: ["---", "class: agent", ...lines, "---", ""].join("\n") },
    { home: HOME, ...places }
  )

/** An agent with these grants, the first of them in line 4. */
export const holding = (...grants: ReadonlyArray<string>): AgentRecord.AgentRecord =>
  agent(["capabilities:", ...grants.map((grant) => `  - ${grant}`)])

export const read = (text: string): Either.Either<Personality.Personality, Personality.PersonalityInvalid> =>
  Personality.parse(
    { config: { file: "/home/u/.ws/personalities/p/config.yaml", text } },
    { workdir: "/work", home: HOME, workspace: "/home/u/.ws" }
  )

export const personality = (...lines: ReadonlyArray<string>): Doctor.PersonalityFile => ({
  name: "p",
  file: "/home/u/.ws/personalities/p/config.yaml",
  read: read(["id: p", ...lines].join("\n"))
})

const common = { description: "x", parameters: Schema.Struct({}), execute: () => Effect.void }

export const weather = Tool.make({
  name: "weather",
  ...common,
  capabilities: { network: { allowedHosts: ["api.weather.gov"] } }
})

export const pilot = Tool.make({
  name: "pilot",
  ...common,
  capabilities: { network: { allowedHosts: ["api.weather.gov"] }, fs_reach: { read: ["/charts"] } }
})

export const keeper = Tool.make({
  name: "keeper",
  ...common,
  capabilities: { secrets: ["WEATHER_KEY", "providers/exa/*"] }
})

export const quiet = Tool.make({ name: "quiet", ...common, capabilities: {} })

export const workspace = (given: Partial<Doctor.Workspace["records"]> = {}): Doctor.Workspace => ({
  root: "/home/u/.ws",
  records: { directory: RECORDS, isThere: true, files: [], unreadable: [], ...given }
})

export const input = (given: Partial<Doctor.Input> = {}): Doctor.Input => ({
  agents: [],
  personalities: [],
  tools: Registry.make(...Builtin.builtins),
  bundled: new Set(Builtin.builtins.map(({ name }: Tool.Any) => name)),
  workspace: workspace(),
  platform: { platform: "linux", holding: { held: true, by: "bwrap 0.8.0" } },
  home: HOME,
  ...given
})

export const examine = (given: Partial<Doctor.Input>): Doctor.Report => Doctor.examine(input(given))

/** What one check says. */
export const found = (check: Doctor.CheckName, given: Partial<Doctor.Input>): ReadonlyArray<Doctor.Finding> =>
  examine(given).findings.filter((finding) => finding.check === check)

export const ofAgent = (check: Doctor.CheckName, ...grants: ReadonlyArray<string>) =>
  found(check, { agents: [holding(...grants)] })

export const codes = (findings: ReadonlyArray<Doctor.Finding>): ReadonlyArray<string> =>
  findings.map(({ code }) => code)

/** Skills and agents out of a few words. */
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Skill from "../../src/policy/skill/Skill.js"

export const HOME = "/home/u"

export const text = (tools: string, extra: ReadonlyArray<string> = []): string =>
  ["---", "name: helper", "description: Helps", ...extra, `allowed-tools: ${tools}`, "---", "Do it."].join(
    "\n"
  )

export const skill = (tools: string): Skill.Skill =>
  Skill.parse({ file: "SKILL.md", text: text(JSON.stringify(tools)), id: "helper" })

/** An agent with these lines in its front matter. */
export const agent = (...lines: ReadonlyArray<string>): AgentRecord.AgentRecord =>
  AgentRecord.parse(
    { file: "scout.md", id: "agents/scout", text: ["---", "class: agent", ...lines, "---", ""].join("\n") },
    { home: HOME }
  )

export const holding = (...specs: ReadonlyArray<string>): AgentRecord.AgentRecord =>
  agent(`capabilities: [${specs.map((spec) => JSON.stringify(spec)).join(", ")}]`)

export const grantsOf = (token: Skill.Token): ReadonlyArray<string> => {
  const requires = Skill.requirementsOf(token)
  return "detail" in requires ? [`! ${requires.detail}`] : requires.map(({ grant }) => Grant.print(grant))
}

/** What each token requires, in the compact form. */
export const required = (tools: string): Record<string, ReadonlyArray<string>> =>
  Object.fromEntries(skill(tools).tokens.map((token) => [token.text, grantsOf(token)]))

export const check = (tools: string, to: AgentRecord.AgentRecord, options: Skill.Options = {}) =>
  Skill.check(skill(tools), to, { home: HOME, ...options })

export const missing = (tools: string, to: AgentRecord.AgentRecord, options: Skill.Options = {}) =>
  check(tools, to, options).missing.map(({ grant }) => Grant.print(grant))

/**
 * Skills: Markdown files that tell an agent how to do something, and list the tools that this takes. An agent must
 * hold what they require, and gets nothing from them. A skill whose requirements an agent does not hold is not shown
 * to it.
 *
 * @since 0.1.0
 */
import type { AgentRecord, Places } from "../agent/AgentRecord.js"
import type { Grant, Inert } from "../grant/Grant.js"
import { quote } from "../text/Quote.js"
import { lackingOf } from "./check.js"
import { type Problem as FileProblem, type Token as FileToken, readSkillFile } from "./file.js"
import type { Requirement as ToolRequirement } from "./tools.js"

/**
 * A mistake: what is wrong, where, and what to write instead.
 *
 * @since 0.1.0
 * @category models
 */
export interface Problem extends FileProblem {}

/**
 * One grant that must be held: `all` of it, or `some`, where a skill lists a tool without a scope, which then uses
 * what there is.
 *
 * @since 0.1.0
 * @category models
 */
export interface Requirement extends ToolRequirement {}

/**
 * One tool that a skill lists: `Known` with what it requires, `OfServer` where an MCP server says what it requires,
 * `Unknown` with a warning.
 *
 * @since 0.1.0
 * @category models
 */
export type Token = FileToken

/**
 * @since 0.1.0
 * @category models
 */
export interface Skill {
  /** The name by which the skill is kept. Without one, the name that it gives itself. */
  readonly name: string
  readonly file: string
  readonly description: string
  readonly compatibility: string | undefined
  readonly license: string | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  readonly tokens: ReadonlyArray<Token>
  readonly body: string
  /** A skill with a problem is broken, and nobody is offered it. */
  readonly problems: ReadonlyArray<Problem>
}

/**
 * The text of a skill. `id` is the name that it has by its place: that of its directory, or of its file.
 *
 * @since 0.1.0
 * @category models
 */
export interface Text {
  readonly file: string
  readonly text: string
  readonly id?: string | undefined
}

const misplaced = (id: string, name: string): Problem => ({
  line: 1,
  column: 1,
  code: "NAME_MISMATCH",
  detail: `the skill says that its name is ${quote(name)}, and is kept as ${quote(id)}`,
  remedy: `write 'name: ${id}', or rename the directory or the file`
})

/**
 * Reads a skill. It never fails: mistakes are in `problems`, each with its line and its remedy, and a skill with any
 * is shown to nobody.
 *
 * @example
 * ```ts
 * import { Skill } from "bailiwick"
 *
 * const text = "---\nname: notes\ndescription: Keeps notes\nallowed-tools: Read(../x)\n---\nRead the notes.\n"
 * const skill = Skill.parse({ file: "skills/notes.md", id: "notes", text })
 * for (const problem of skill.problems) console.log(Skill.message(skill.file, problem))
 * ```
 *
 * ```text output
 * TOOL_INVALID: skills/notes.md:4:16 'Read(../x)' cannot be understood: the path '../x' contains '..' and leaves its root; write a path below 'in'
 * ```
 *
 * @since 0.1.0
 * @category parsing
 */
export const parse = ({ file, id, text }: Text): Skill => {
  const read = readSkillFile(text)
  return {
    ...read,
    name: id ?? read.name ?? "",
    file,
    description: read.description ?? "",
    problems:
      id === undefined || read.name === undefined || read.name === id
        ? read.problems
        : [...read.problems, misplaced(id, read.name)]
  }
}

/**
 * @since 0.1.0
 * @category predicates
 */
export const isBroken = ({ problems }: Skill): boolean => problems.length > 0

/**
 * A problem as one line, with its place in front as editors read it.
 *
 * @since 0.1.0
 * @category printing
 */
export const message = (file: string, { code, column, detail, line, remedy }: Problem): string =>
  `${code}: ${file}:${line}:${column} ${detail}; ${remedy}`

/**
 * Who must hold what a skill requires. An agent's record is one; a policy without a record is one whose root is where it
 * works.
 *
 * @since 0.1.0
 * @category models
 */
export interface Holder extends Pick<AgentRecord, "authority" | "held" | "root"> {}

/**
 * The places of the agent's record, and what is known beside them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Places {
  /** Where a missing grant is to be rooted, if the agent has no root at all yet. */
  readonly root?: string | undefined
  /** What each MCP server requires, by its name. */
  readonly servers?: ReadonlyMap<string, ReadonlyArray<Grant>> | undefined
  /** What each tool of the host's own requires, by its name. */
  readonly tools?: ReadonlyMap<string, ReadonlyArray<Requirement>> | undefined
}

/**
 * A tool whose requirements are held.
 *
 * @since 0.1.0
 * @category models
 */
export interface Satisfied {
  readonly token: string
  readonly line: number
  readonly grants: ReadonlyArray<Grant>
}

/**
 * A requirement that is not held, and the grant to write. `inert` says why even that grant would give nothing: the
 * workspace keeps its agents elsewhere.
 *
 * @since 0.1.0
 * @category models
 */
export interface Missing {
  readonly token: string
  readonly line: number
  readonly grant: Grant
  readonly inert: Inert | undefined
}

/**
 * A tool whose requirements are not known. It is a warning, and hides no skill.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unknown {
  readonly token: string
  readonly line: number
  readonly detail: string
  readonly remedy: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Check {
  readonly satisfied: ReadonlyArray<Satisfied>
  readonly missing: ReadonlyArray<Missing>
  readonly unknown: ReadonlyArray<Unknown>
}

type Others = Pick<Options, "servers" | "tools">

const ofHost = (
  { line, text, scope, tool, ...said }: Extract<Token, { _tag: "Unknown" }>,
  tools: Options["tools"]
) => {
  const requires = tools?.get(tool)
  const at = { token: text, line }
  if (requires === undefined) return { ...at, detail: said.detail, remedy: said.remedy }
  return scope === undefined
    ? requires
    : { ...at, detail: `${tool} takes no scope, and has ${quote(scope)}`, remedy: "write its name alone" }
}

/**
 * The requirements of a listed tool, or why they are not known.
 *
 * @since 0.1.0
 * @category requirements
 */
export const requirementsOf = (
  token: Token,
  { servers, tools }: Others = {}
): ReadonlyArray<Requirement> | Unknown => {
  if (token._tag === "Known") return token.requires
  if (token._tag === "Unknown") return ofHost(token, tools)
  const at = { token: token.text, line: token.line }
  const grants = servers?.get(token.server)
  return (
    grants?.map((grant) => ({ grant, extent: "all" })) ?? {
      ...at,
      detail: `unknown server ${quote(token.server)}`,
      remedy: "what it needs is not known and not checked"
    }
  )
}

const isUnknown = (given: ReadonlyArray<Requirement> | Unknown): given is Unknown => !Array.isArray(given)

/**
 * Compares what a skill requires with what an agent holds. It changes nothing: there is no way from a skill to an
 * authority.
 *
 * @example
 * ```ts
 * import { AgentRecord, Grant, Skill } from "bailiwick"
 *
 * const text = "---\nname: news\ndescription: Reads the news\nallowed-tools: WebFetch(github.com)\n---\nRead.\n"
 * const skill = Skill.parse({ file: "skills/news.md", id: "news", text })
 * const agent = AgentRecord.parse({ id: "agents/scout", file: "scout.md", text: "---\nclass: agent\n---\n" }, {})
 * for (const { grant, token } of Skill.check(skill, agent).missing) console.log(`${token} needs ${Grant.print(grant)}`)
 * ```
 *
 * ```text output
 * WebFetch(github.com) needs net.get{hosts=[github.com]}
 * ```
 *
 * @since 0.1.0
 * @category checking
 */
export const check = (skill: Skill, agent: Holder, options: Options = {}): Check => {
  const lacking = lackingOf(agent, options)
  const satisfied: Array<Satisfied> = []
  const missing: Array<Missing> = []
  const unknown: Array<Unknown> = []
  for (const token of skill.tokens) {
    const requires = requirementsOf(token, options)
    if (isUnknown(requires)) {
      unknown.push(requires)
      continue
    }
    const at = { token: token.text, line: token.line }
    const without = lacking(requires)
    if (without.length === 0) satisfied.push({ ...at, grants: requires.map(({ grant }) => grant) })
    missing.push(...without.map((one) => ({ ...at, ...one })))
  }
  return { satisfied, missing, unknown }
}

/**
 * The skills to show to an agent: those that are not broken, and that require only what it holds.
 *
 * @since 0.1.0
 * @category checking
 */
export const available = (
  skills: ReadonlyArray<Skill>,
  agent: Holder,
  options: Options = {}
): ReadonlyArray<Skill> =>
  skills.filter((skill) => !isBroken(skill) && check(skill, agent, options).missing.length === 0)

/** What a skill says of itself, and what is wrong with it. Nothing in it is fatal, and nothing that is wrong is used. */
import { Either } from "effect"
import { type Data, fromYaml, isMapping } from "../record/Data.js"
import { split } from "../record/FrontMatter.js"
import { closest } from "../text/Closest.js"
import type { At, ProblemCode, skillCodes } from "../text/Problem.js"
import { quote } from "../text/Quote.js"
import { type Mapping, readYaml, type Yaml } from "../text/StrictYaml.js"
import { type Listed, type Malformed, splitTools } from "./tokens.js"
import { type Requirement, tools } from "./tools.js"

export interface Problem extends At {
  readonly code: ProblemCode | (typeof skillCodes)[number]
  readonly detail: string
  readonly remedy: string
}

interface Placed {
  /** As it is written. */
  readonly text: string
  readonly line: number
}

export type Token =
  | (Placed & { readonly _tag: "Known"; readonly requires: ReadonlyArray<Requirement> })
  | (Placed & { readonly _tag: "OfServer"; readonly server: string })
  | (Placed & {
      readonly _tag: "Unknown"
      /** Its name alone, which may be that of a tool of the host's own. */
      readonly tool: string
      readonly scope: string | undefined
      readonly detail: string
      readonly remedy: string
    })

export interface SkillFile {
  readonly name: string | undefined
  readonly description: string | undefined
  readonly compatibility: string | undefined
  readonly license: string | undefined
  readonly metadata: Data | undefined
  readonly tokens: ReadonlyArray<Token>
  readonly body: string
  readonly problems: ReadonlyArray<Problem>
}

const MAX_TOKENS = 256

const START: At = { line: 1, column: 1 }

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

const MAX_NAME = 64

const isName = (text: string): boolean => text.length <= MAX_NAME && NAME.test(text)

const SERVER = /^mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)(?:__|$)/

const unknown = (tool: string): Malformed => {
  const meant = closest(tool, tools.keys())
  return {
    detail: `unknown tool ${quote(tool)}`,
    remedy: meant === undefined ? "what it needs is not known and not checked" : `did you mean '${meant}'?`
  }
}

const tokenOf = ({ scope, text, tool }: Listed, line: number): Either.Either<Token, Malformed> => {
  const server = SERVER.exec(tool)?.[1]
  if (server !== undefined) return Either.right({ _tag: "OfServer", text, line, server })
  const requiring = tools.get(tool)
  return requiring === undefined
    ? Either.right({ _tag: "Unknown", text, line, tool, scope, ...unknown(tool) })
    : Either.map(requiring(scope), (requires): Token => ({ _tag: "Known", text, line, requires }))
}

class Reading {
  readonly problems: Array<Problem> = []

  constructor(private readonly root: Mapping) {}

  private report(at: At, code: Problem["code"], detail: string, remedy: string): undefined {
    this.problems.push({ line: at.line, column: at.column, code, detail, remedy })
  }

  private value(key: string): Yaml | undefined {
    const value = this.root.entries.get(key)?.value
    return value?._tag === "Scalar" && value.value === null ? undefined : value
  }

  missing(key: string, remedy: string): undefined {
    const at = this.root.entries.get(key)?.at ?? START
    return this.report(at, "KEY_MISSING", `'${key}' is missing`, remedy)
  }

  text(key: string, longest = Number.POSITIVE_INFINITY): string | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    if (value._tag !== "Scalar" || typeof value.value !== "string" || value.value.trim() === "") {
      return this.report(value.at, "VALUE_INVALID", `'${key}' is not a text`, `write 'key: "words"'`)
    }
    const { length } = [...value.value]
    return length <= longest
      ? value.value
      : this.report(
          value.at,
          "VALUE_INVALID",
          `'${key}' is ${length} characters long`,
          `write at most ${longest}`
        )
  }

  name(): string | undefined {
    if (this.value("name") === undefined) return this.missing("name", "write 'name:' and one word")
    const given = this.text("name")
    if (given === undefined || isName(given)) return given
    this.report(
      this.value("name")?.at ?? START,
      "NAME_INVALID",
      `the name ${quote(given)} is not a name for a skill`,
      `write at most ${MAX_NAME} lower-case letters and digits, with single hyphens between them`
    )
    return given
  }

  description(): string | undefined {
    return this.value("description") === undefined
      ? this.missing("description", "write 'description:' and what the skill is for")
      : this.text("description", 1024)
  }

  metadata(): Data | undefined {
    const value = this.value("metadata")
    if (value === undefined) return undefined
    const data = fromYaml(value)
    return isMapping(data)
      ? data
      : this.report(value.at, "VALUE_INVALID", "'metadata' is not a mapping", "write 'key: value' below it")
  }

  private listed(value: Yaml): ReadonlyArray<Token> {
    if (value._tag !== "Scalar" || typeof value.value !== "string") {
      this.report(
        value.at,
        "VALUE_INVALID",
        "'allowed-tools' holds what is not the name of a tool",
        "write a list of texts"
      )
      return []
    }
    const invalid = ({ detail, remedy }: Malformed) => this.report(value.at, "TOOL_INVALID", detail, remedy)
    const parts = splitTools(value.value)
    if (Either.isLeft(parts)) {
      invalid(parts.left)
      return []
    }
    return parts.right.flatMap((part) => {
      const token = tokenOf(part, value.at.line)
      if (Either.isRight(token)) return [token.right]
      const { detail, remedy } = token.left
      invalid({ detail: `${quote(part.text)} cannot be understood: ${detail}`, remedy })
      return []
    })
  }

  tokens(): ReadonlyArray<Token> {
    const value = this.value("allowed-tools")
    if (value === undefined) return []
    const all = (value._tag === "List" ? value.items : [value]).flatMap((item) => this.listed(item))
    const once = [...new Map(all.map((token) => [token.text, token])).values()]
    if (once.length <= MAX_TOKENS) return once
    this.report(
      value.at,
      "VALUE_INVALID",
      `'allowed-tools' lists more than ${MAX_TOKENS} tools`,
      "list fewer"
    )
    return []
  }
}

const unread = (body: string, problem: Problem): SkillFile => ({
  name: undefined,
  description: undefined,
  compatibility: undefined,
  license: undefined,
  metadata: undefined,
  tokens: [],
  body,
  problems: [problem]
})

export const readSkillFile = (text: string): SkillFile => {
  const parts = split(text)
  if (Either.isLeft(parts)) return unread(text, parts.left)
  const { above, body, fenced, yaml } = parts.right
  // Empty lines in place of what is above, so that every line that is spoken of is one of the file.
  const value = readYaml("\n".repeat(above) + yaml)
  if (Either.isLeft(value)) return unread(body, value.left)
  const root = value.right
  if (root === undefined || root._tag !== "Mapping") {
    return unread(body, {
      ...START,
      code: "VALUE_INVALID",
      detail: fenced ? "the front matter is not a mapping" : "there is no front matter",
      remedy: "start the file with '---', 'name:', 'description:' and '---'"
    })
  }
  const reading = new Reading(root)
  const read = {
    name: reading.name(),
    description: reading.description(),
    compatibility: reading.text("compatibility", 500),
    license: reading.text("license"),
    metadata: reading.metadata(),
    tokens: reading.tokens(),
    body
  }
  if (body.trim() !== "") return { ...read, problems: reading.problems }
  const line = text.slice(0, text.length - body.length).split("\n").length
  return {
    ...read,
    problems: [
      ...reading.problems,
      {
        line,
        column: 1,
        code: "BODY_MISSING",
        detail: "nothing follows the front matter",
        remedy: "write below it what to do"
      }
    ]
  }
}

/** The results of a turn for a reader: one block a call, with the why and the remedy of what was refused. */
import type { Denial } from "../../policy/lattice/Denial.js"
import type { Policy } from "../../policy/Policy.js"
import * as Remedy from "../../policy/Remedy.js"
import type { Call, Result } from "../../registry/Call.js"
import type { Confined } from "../../registry/explain/Confined.js"
import type { Explained, Explanation } from "../../registry/explain/Explain.js"
import type * as ToolResult from "../../registry/ToolResult.js"
import { cut, type Terminal, visible, wrap } from "./Terminal.js"

const MAX_LINES = 12
const INDENT = "  "

const shortArguments = (args: unknown): string => {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return JSON.stringify(args) ?? ""
  return Object.entries(args)
    .map(([key, value]) => `${key}=${typeof value === "string" ? shortText(value) : JSON.stringify(value)}`)
    .join(" ")
}

const shortText = (text: string): string => (/^[^\s"=]{1,200}$/.test(text) ? text : JSON.stringify(text))

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value))

/** A value with one text in it, such as the content of a file, is best shown as that text. */
const shown = (value: unknown): string => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return textOf(value)
  const long = Object.entries(value).filter(([, part]) => typeof part === "string" && part.includes("\n"))
  const [only] = long
  if (only === undefined || long.length > 1) return textOf(value)
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => key !== only[0]))
  const others = Object.keys(rest).length === 0 ? "" : `${JSON.stringify(rest)}\n`
  return `${others}${String(only[1]).trimEnd()}`
}

const bounded = (lines: ReadonlyArray<string>, terminal: Terminal): ReadonlyArray<string> =>
  lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, MAX_LINES - 1), terminal.dim(`… ${lines.length - MAX_LINES + 1} more lines`)]

const field = (terminal: Terminal, name: string, text: string): ReadonlyArray<string> => {
  const [first = "", ...rest] = wrap(text, terminal.columns - INDENT.length - 8)
  return [`${terminal.dim(name.padEnd(7))} ${first}`, ...rest.map((line) => `${" ".repeat(8)}${line}`)]
}

/** A command is for copying: the terminal breaks it, and the copy is whole. */
const remedyOf = (terminal: Terminal, step: Remedy.Step): ReadonlyArray<string> =>
  step._tag === "Grant"
    ? [`${terminal.dim("remedy ")} ${visible(Remedy.sentence(step))}`]
    : field(terminal, "remedy", Remedy.sentence(step))

const why = (
  terminal: Terminal,
  denial: Denial,
  policy: Policy,
  would: Line | undefined
): ReadonlyArray<string> => [
  ...(denial.capability === "toolset"
    ? []
    : [
        ...field(terminal, "asked", denial.asked),
        ...field(terminal, "held", denial.held.length === 0 ? "nothing" : denial.held.join(", "))
      ]),
  ...remedyOf(terminal, Remedy.stepFor(policy, denial)),
  ...(would === undefined ? [] : field(terminal, "in", placeOf(would)))
]

/** Why a call has no value: the code and the sentence, and for a refusal what was asked, what is held and the remedy. */
export const failure = (
  terminal: Terminal,
  result: ToolResult.ToolResult & { readonly ok: false },
  policy: Policy,
  would?: Line
): ReadonlyArray<string> => [
  ...wrap(`${result.code}: ${result.error}`, terminal.columns - INDENT.length).map(terminal.red),
  ...(result.denial === undefined ? [] : why(terminal, result.denial, policy, would))
]

const success = (terminal: Terminal, value: unknown, truncated: boolean) => [
  ...bounded(
    shown(value)
      .split("\n")
      .map((line) => cut(line, terminal.columns - INDENT.length)),
    terminal
  ),
  ...(truncated ? [terminal.yellow("cut to the budget of the turn")] : [])
]

interface Decided {
  readonly capability: string
  readonly asked?: string
  readonly scope?: string
  readonly by?: ReadonlyArray<Line>
}

interface Line {
  readonly file: string
  readonly line: number
  readonly written: string
}

const placeOf = ({ file, line }: Line): string => `${file}:${line}`

const isExplained = (
  value: unknown
): value is {
  readonly allowed: true
  readonly decisions: ReadonlyArray<Decided>
  readonly may: ReadonlyArray<string>
  readonly child?: ReadonlyArray<string>
  readonly process?: ReadonlyArray<string>
} => typeof value === "object" && value !== null && "decisions" in value && Array.isArray(value.decisions)

const NOTHING = "may touch nothing"

/** What the tool will ask for is not known before it runs; what it may ask for is. */
const undecided = (terminal: Terminal, may: ReadonlyArray<string>): ReadonlyArray<string> =>
  may.every((line) => line === NOTHING)
    ? [`would run, and ${NOTHING}`]
    : [
        "would run; what it asks for is decided then",
        ...may.flatMap((line) => field(terminal, "may", line.replace(/^may /, "")))
      ]

const childOf = (
  terminal: Terminal,
  { child = [], process = [] }: Pick<Explanation, "child" | "process">
): ReadonlyArray<string> => [
  ...child.flatMap((line) => field(terminal, "child", line)),
  ...process.flatMap((line) => field(terminal, "process", line))
]

const explained = (terminal: Terminal, value: unknown): ReadonlyArray<string> => {
  if (!isExplained(value)) return success(terminal, value, false)
  if (value.decisions.length === 0) return [...undecided(terminal, value.may), ...childOf(terminal, value)]
  return [
    ...value.decisions.flatMap(({ asked, by = [], capability, scope }) => [
      ...wrap(
        `would be allowed: ${asked ?? capability}${scope === undefined ? "" : ` (by ${scope})`}`,
        terminal.columns - INDENT.length
      ),
      ...by.flatMap((line) => field(terminal, "by", `${line.written} in ${placeOf(line)}`))
    ]),
    ...childOf(terminal, value)
  ]
}

/** A plan as it is carried out, line by line. */
const planned = (terminal: Terminal, { binary, covers, cwd, doors, leftOut, links, mounts }: Confined) =>
  [
    ["runs", `${binary} in ${cwd}`],
    ...mounts.map(({ access, kind, path }) => ["mount", `${access.padEnd(5)} ${kind} ${path}`] as const),
    ...covers.map(({ as, path, reason }) => [as, `${path} (${reason})`] as const),
    ...links.map(([path, target]) => ["link", `${path} -> ${target}`] as const),
    ...doors.map(({ host, port }) => ["door", `${host}:${port}`] as const),
    ...leftOut.map(({ what, why }) => ["without", `${what}: ${why}`] as const)
  ].flatMap(([name = "", text = ""]) => field(terminal, name, text))

/** Under what policy a turn was taken, and whether anything ran. */
export interface Reported {
  readonly explains: boolean
  readonly policy: Policy
}

const block = (
  terminal: Terminal,
  call: Call | undefined,
  { enclosed, name, result, sandbox, would }: Result & Omit<Explained, keyof Result>,
  { explains, policy }: Reported
): string => {
  const mark = result.ok ? terminal.green("✓") : terminal.red("✗")
  const title = cut(name, terminal.columns - 2)
  const args = cut(shortArguments(call?.args), Math.max(8, terminal.columns - 4 - [...title].length))
  const lines = !result.ok
    ? failure(terminal, result, policy, would)
    : explains
      ? explained(terminal, result.value)
      : success(terminal, result.value, result.truncated === true)
  return [
    `${mark} ${terminal.bold(title)}${args === "" ? "" : `  ${terminal.dim(args)}`}`,
    ...lines.map((line) => `${INDENT}${line}`),
    ...(sandbox === undefined ? [] : planned(terminal, sandbox)).map((line) => `${INDENT}${line}`),
    ...(enclosed?.reads ?? [])
      .flatMap((path) => field(terminal, "reads", path))
      .map((line) => `${INDENT}${line}`)
  ]
    .map((line) => line.trimEnd())
    .join("\n")
}

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? "" : "s"}`

/** Ends with a line break, and with a count. */
export const report = (
  terminal: Terminal,
  calls: ReadonlyArray<Call>,
  results: ReadonlyArray<Result>,
  reported: Reported
): string => {
  const { explains } = reported
  const good = results.filter(({ result }) => result.ok).length
  const refused = results.filter(({ result }) => !result.ok && result.denial !== undefined).length
  const failed = results.length - good - refused
  const parts = [
    count(results.length, "call"),
    `${good} ${explains ? "allowed" : "done"}`,
    ...(refused === 0 ? [] : [`${refused} refused`]),
    ...(failed === 0 ? [] : [`${failed} failed`])
  ]
  return [
    ...results.map((result, index) => block(terminal, calls[index], result, reported)),
    terminal.bold(parts.join(", "))
  ]
    .join("\n\n")
    .concat("\n")
}

/** A list of tools, each with what it touches. */
export const toolTable = (
  terminal: Terminal,
  tools: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly surface: ReadonlyArray<string>
  }>
): string =>
  tools
    .map(({ description, name, surface }) =>
      [
        terminal.bold(visible(name)),
        ...wrap(description, terminal.columns - INDENT.length),
        ...(surface.length === 0 ? ["touches nothing"] : surface).map((line) =>
          terminal.dim(cut(line, terminal.columns - INDENT.length))
        )
      ].join(`\n${INDENT}`)
    )
    .concat(count(tools.length, "tool"))
    .join("\n\n")
    .concat("\n")

/** The tools that an agent cannot call, each with what would let it. */
export const missingTable = (
  terminal: Terminal,
  agent: string,
  missing: ReadonlyArray<{
    readonly name: string
    readonly why: string
    readonly grants: ReadonlyArray<string>
    readonly all: boolean
  }>
): string =>
  missing.length === 0
    ? ""
    : [
        terminal.bold(`${count(missing.length, "tool")} that ${visible(agent)} cannot call`),
        ...missing.map(({ all, grants, name, why }) =>
          [
            `${terminal.yellow("-")} ${visible(name)}`,
            ...(grants.length === 0
              ? wrap(why, terminal.columns - INDENT.length)
              : wrap(`needs ${grants.join(all ? " and " : " or ")}`, terminal.columns - INDENT.length))
          ].join(`\n${INDENT}`)
        )
      ]
        .join("\n")
        .concat("\n")

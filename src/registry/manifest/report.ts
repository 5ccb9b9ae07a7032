/** Changes in words, for whoever reviews them: one line for each host, path, binary, secret and service. */
import type { Origin } from "../../policy/ToolOrigin.js"
import { seen } from "../../policy/text/Quote.js"
import type { Change, Comparison, Kind, Line, ServerChange } from "./Model.js"
import { wordLines } from "./says.js"
import { specInWords } from "./servers.js"

/**
 * What became of one tool or of one server: a title, and the lines below it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Told {
  readonly tool: string
  readonly passes: boolean
  readonly title: string
  readonly lines: ReadonlyArray<string>
}

const titles: Readonly<Record<Kind, string>> = {
  added: "is new",
  removed: "is gone",
  widened: "touches more than is locked",
  narrowed: "touches less than is locked",
  changed: "is not as it is locked"
}

const place = ({ plugin, server }: Origin): string => {
  if (plugin !== undefined) return `plugin ${plugin}`
  return server === undefined ? "workspace itself" : `server ${server}`
}

const titleOf = ({ from, kind, tool }: Change): string =>
  `${tool} ${titles[kind]}${Object.keys(from).length === 0 ? "" : ` (${place(from)})`}`

const line =
  (sign: string) =>
  ({ key, open, value }: Line): string =>
    `${sign} ${key}: ${seen(value)}${open === true ? " (whatever a policy allows)" : ""}`

const service =
  (sign: string) =>
  (key: string): string =>
    `${sign} services: ${seen(key)}`

const linesOf = (change: Change): ReadonlyArray<string> => {
  const { description, from, less, more, parameters, services, spelling, was } = change
  const lines = [
    ...more.map(line("+")),
    ...services.added.map(service("+")),
    ...less.map(line("-")),
    ...services.removed.map(service("-")),
    ...(was === undefined ? [] : [`~ comes from the ${place(from)}, and came from the ${place(was)}`]),
    ...(description ? ["~ the description changed: read it as the model does"] : []),
    ...(parameters ? ["~ the parameters changed"] : []),
    ...(spelling ? ["~ the declaration is written in another way, and touches the same"] : []),
    ...(change.says === true
      ? ["~ what else it says of itself changed: title, hints, shape of its answer"]
      : [])
  ]
  if (change.words !== undefined) return [...lines, ...wordLines(change.words)]
  return lines.length === 0 && change.kind === "added" ? ["touches nothing"] : lines
}

const serverTitles: Readonly<Record<Kind, string>> = {
  added: "is new",
  removed: "is gone",
  widened: "requires more than is locked",
  narrowed: "requires less than is locked",
  changed: "is not as it is locked"
}

const serverTold = ({ kind, less, more, passes, server }: ServerChange): Told => {
  const required = [
    ...more.map((spec) => `+ requires ${seen(specInWords(spec))}`),
    ...less.map((spec) => `- requires ${seen(specInWords(spec))}`)
  ]
  return {
    tool: server,
    passes,
    title: `the server ${server} ${serverTitles[kind]}`,
    lines:
      required.length === 0 && kind === "added" ? ["requires nothing: it is offered to everybody"] : required
  }
}

/**
 * A comparison in words.
 *
 * @since 0.1.0
 * @category rendering
 */
export const report = ({ changes, servers = [] }: Comparison): ReadonlyArray<Told> => [
  ...servers.map(serverTold),
  ...changes.map((change) => ({
    tool: change.tool,
    passes: change.passes,
    title: titleOf(change),
    lines: linesOf(change)
  }))
]

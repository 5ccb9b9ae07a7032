/** Changes in words, for whoever reviews them: one line for each host, path, binary, secret and service. */
import type { Origin } from "../../policy/ToolOrigin.js"
import { seen } from "../../policy/text/Quote.js"
import type { Change, Comparison, Kind, Line } from "./Model.js"

/**
 * What became of one tool: a title, and the lines below it.
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
    ...(spelling ? ["~ the declaration is written in another way, and touches the same"] : [])
  ]
  return lines.length === 0 && change.kind === "added" ? ["touches nothing"] : lines
}

/**
 * A comparison in words.
 *
 * @since 0.1.0
 * @category rendering
 */
export const report = ({ changes }: Comparison): ReadonlyArray<Told> =>
  changes.map((change) => ({
    tool: change.tool,
    passes: change.passes,
    title: titleOf(change),
    lines: linesOf(change)
  }))

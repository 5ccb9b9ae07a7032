/** Changes in words, for whoever reviews them: one line for each host, path, binary, secret and service. */
import type { Origin } from "../../policy/ToolOrigin.js"
import { seen } from "../../policy/text/Quote.js"
import { describedLines } from "./described.js"
import type { Change, Comparison, Kind, Line, ServerChange } from "./Model.js"
import { wordLines } from "./says.js"
import { inquiryInWords, specInWords } from "./servers.js"

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

const place = ({ module, plugin, server }: Origin): string => {
  if (plugin !== undefined) return `plugin ${plugin}`
  if (module !== undefined) return `isolated module ${module}`
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
    ...(change.idempotent === undefined
      ? []
      : [
          change.idempotent
            ? "~ it says that a call may be made twice, and did not"
            : "~ it says no more that a call may be made twice"
        ]),
    ...(change.says === true
      ? ["~ what else it says of itself changed: title, hints, shape of its answer"]
      : [])
  ]
  if (change.words !== undefined) return [...lines, ...wordLines(change.words)]
  if (change.isolated !== undefined) return [...lines, ...describedLines(change.isolated)]
  return lines.length === 0 && change.kind === "added" ? ["touches nothing"] : lines
}

const serverTitles: Readonly<Record<Kind, string>> = {
  added: "is new",
  removed: "is gone",
  widened: "more than is locked",
  narrowed: "less than is locked",
  changed: "is not as it is locked"
}

/** What of a server has become more, or less. */
const verbOf = ({ allows, kind, less, more }: ServerChange): string => {
  const [grants, inquiries] = kind === "widened" ? [more, allows?.added] : [less, allows?.removed]
  const asks = (inquiries ?? []).length > 0
  return [...(grants.length > 0 || !asks ? ["requires"] : []), ...(asks ? ["may ask for"] : [])].join(" and ")
}

const serverTitle = (change: ServerChange): string => {
  const { kind, server } = change
  const verb = kind === "widened" || kind === "narrowed" ? `${verbOf(change)} ` : ""
  return `the server ${server} ${verb}${serverTitles[kind]}`
}

const serverTold = (change: ServerChange): Told => {
  const { allows, kind, less, more, passes, server } = change
  const required = [
    ...more.map((spec) => `+ requires ${seen(specInWords(spec))}`),
    ...less.map((spec) => `- requires ${seen(specInWords(spec))}`)
  ]
  const asks = [
    ...(allows?.added ?? []).map((one) => `+ may ask for ${inquiryInWords(one)}`),
    ...(allows?.removed ?? []).map((one) => `- may ask for ${inquiryInWords(one)}`)
  ]
  return {
    tool: server,
    passes,
    title: serverTitle(change),
    lines: [
      ...(required.length === 0 && kind === "added"
        ? ["requires nothing: it is offered to everybody"]
        : required),
      ...asks
    ]
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

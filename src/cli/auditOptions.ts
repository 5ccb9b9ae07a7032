/** The options of `audit`, and which of them go together. */
import { catalog } from "../policy/grant/Catalog.js"
import { capabilities } from "../policy/lattice/Facets.js"
import { closest } from "../policy/text/Closest.js"
import { quote } from "../policy/text/Quote.js"
import { CliError } from "./CliError.js"
import { amountOf, portOf } from "./optionValues.js"
import { type Since, sinceOf } from "./Since.js"

export interface AuditOptions {
  /** Logs to read in place of the workspace's own; `-` is standard input. */
  readonly files: ReadonlyArray<string>
  readonly agent: string | undefined
  readonly personality: string | undefined
  readonly tool: string | undefined
  readonly capability: string | undefined
  readonly session: string | undefined
  readonly denied: boolean
  readonly since: Since | undefined
  readonly follow: boolean
  /** How many of the newest; `all` for all of them. */
  readonly limit: number | "all" | undefined
  /** The page to write. */
  readonly html: string | undefined
  /** The port to serve the page on. */
  readonly serve: number | undefined
}

const limitOf = (limit: string | undefined, all: boolean): AuditOptions["limit"] => {
  if (all) {
    if (limit !== undefined) throw new CliError("--limit goes without --all; keep one")
    return "all"
  }
  return limit === undefined ? undefined : amountOf("limit", limit)
}

const firstWord = (name: string): string => name.split(".")[0] ?? ""

/** By the names of the log, and by those of grants. A tool that is not offered is refused as one of the toolset. */
const capabilityNames: ReadonlyMap<string, string> = new Map([
  ["toolset", "toolset"],
  ...catalog.flatMap(({ capability, name }) => [
    [firstWord(name), firstWord(capability)] as const,
    [name, capability] as const
  ]),
  ...capabilities.flatMap(({ facet, name }) => [[facet, facet] as const, [name, name] as const])
])

const capabilityOf = (text: string): string => {
  const found = capabilityNames.get(text)
  if (found !== undefined) return found
  const near = closest(text, capabilityNames.keys())
  throw new CliError(
    `--capability takes one such as network, network.get or files.write, and ${quote(text)} is none${near === undefined ? "" : `; did you mean '${near}'?`}`
  )
}

const LESS = "choose what a page has with --since or --agent"

/** Where somebody waits for what is new, standard input is no log that grows. */
const alone = (
  option: "follow" | "html" | "serve",
  others: Readonly<Record<string, boolean>>,
  instead: string
): void => {
  const other = Object.entries(others).find(([, given]) => given)?.[0]
  if (other !== undefined) throw new CliError(`--${option} goes without ${other}; ${instead}`)
}

export const auditOptions = (
  files: ReadonlyArray<string>,
  option: (name: string) => string | undefined,
  flag: (name: string) => boolean,
  json: boolean
): AuditOptions => {
  const [since, port, html] = [option("since"), option("serve"), option("html")]
  const capability = option("capability")
  const [follow, serves, input] = [flag("follow"), flag("serve"), files.includes("-")]
  const extent = { "--limit": option("limit") !== undefined, "--all": flag("all") }
  if (serves) {
    alone("serve", { "--html": html !== undefined }, "write the page, or serve it")
    alone("serve", { "--follow": follow }, "a page that is served follows the log by itself")
    alone("serve", { "--json": json }, "the page is for a browser; '--follow --json' goes on as JSON lines")
    alone("serve", { "-": input }, "name the file")
    alone("serve", extent, LESS)
  }
  if (html !== undefined) {
    alone("html", { "--follow": follow }, "--serve shows a page that follows the log")
    alone("html", extent, LESS)
  }
  if (follow) alone("follow", { "-": input }, "name the file")
  if (files.filter((file) => file === "-").length > 1) {
    throw new CliError("'-' is given twice, and standard input can be read once; keep one")
  }
  return {
    files,
    agent: option("agent"),
    personality: option("personality"),
    tool: option("tool"),
    capability: capability === undefined ? undefined : capabilityOf(capability),
    session: option("session"),
    denied: flag("denied"),
    since: since === undefined ? undefined : sinceOf(since),
    follow,
    limit: limitOf(option("limit"), flag("all")),
    html,
    serve: serves ? (port === undefined ? 0 : portOf("serve", port)) : undefined
  }
}

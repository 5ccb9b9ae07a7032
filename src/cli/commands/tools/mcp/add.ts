/** `tools mcp add`: a new server, after somebody has seen what it may touch and said yes. */
import { Either } from "effect"
import * as Grant from "../../../../policy/grant/Grant.js"
import * as Inquiry from "../../../../policy/server/Inquiry.js"
import * as ServerEdit from "../../../../policy/server/ServerEdit.js"
import * as ServerNotation from "../../../../policy/server/ServerNotation.js"
import { isServerName, looksLike } from "../../../../policy/ToolOrigin.js"
import { quote } from "../../../../policy/text/Quote.js"
import { splitSpecs } from "../../../../policy/text/Spec.js"
import { readYaml } from "../../../../policy/text/StrictYaml.js"
import type { ServersAddCommand } from "../../../Arguments.js"
import { readText } from "../../../read.js"
import { marked, rows } from "../../../report/Table.js"
import { type Terminal, terminal } from "../../../report/Terminal.js"
import type { Surroundings } from "../../../Surroundings.js"
import { agentPlaces } from "../../../workspace/LoadAgent.js"
import { realBelow } from "../../../workspace/RealRoots.js"
import { writeFile } from "../../../workspace/WriteFile.js"
import { type Proposal, pickGrants } from "../../agents/PickGrants.js"
import { byRisk, type Shown, shownRow } from "../../agents/ShownGrants.js"
import { type Change, conclude, consent, plan, refuse } from "./change.js"
import { type Place, placeOf } from "./found.js"
import { inquiryRow } from "./inquiries.js"
import { type Probed, probe } from "./probe.js"

const UNDONE = "nothing was added"

const keysOf = (command: ServersAddCommand): ServerEdit.Definition["keys"] => {
  const kinds = allowsOf(command)
  return { ...transportOf(command), ...(kinds.length === 0 ? {} : { allows: kinds }) }
}

/** Words that are none are refused before. */
const allowsOf = ({ allows }: ServersAddCommand): ReadonlyArray<Inquiry.Kind> =>
  Inquiry.sorted(allows.flatMap((word) => Inquiry.parse(word) ?? []))

const transportOf = ({
  code,
  env,
  started,
  token,
  url
}: ServersAddCommand): ServerEdit.Definition["keys"] => {
  if (url !== undefined) return { url, ...(token === undefined ? {} : { token }) }
  const [command = "", ...args] = started
  return {
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(env.length === 0 ? {} : { env }),
    ...(code.length === 0 ? {} : { code })
  }
}

/** What is wrong with the words of the command line, before anything is started. */
const wrongWith = (command: ServersAddCommand, { workspace }: Place): string | undefined => {
  const { allows, code, env, server, started, token, url } = command
  if (!isServerName(server)) {
    return `${quote(server)} is not the name of an MCP server; write 1 to 64 letters, digits, '-' and single '_', none at the end`
  }
  const taken = workspace.servers.find(({ name }) => looksLike(name) === looksLike(server))
  if (taken !== undefined) {
    return taken.name === server
      ? `there is a server ${quote(server)} already, in line ${taken.line}; choose another name, or remove that first`
      : `${quote(server)} looks like the server ${quote(taken.name)}, and so would the names of their tools; choose another name`
  }
  const odd = allows.find((word) => Inquiry.parse(word) === undefined)
  if (odd !== undefined) {
    const { detail, remedy } = Inquiry.unknown(odd)
    return `--allows: ${detail}; ${remedy}`
  }
  if ((url === undefined) === (started.length === 0)) {
    return url === undefined
      ? "it needs the command that starts it; write 'bailiwick tools mcp add NAME -- COMMAND ARGS', or --url"
      : "it is either started by a command or reached at a URL; give one of them"
  }
  if (url !== undefined && (env.length > 0 || code.length > 0)) {
    return "--env and --code are for servers that are started here; a server with a URL takes --token"
  }
  return url === undefined && token !== undefined
    ? "--token is for a server with a URL; one that is started here takes --env"
    : undefined
}

type Entry = Pick<Grant.Grant, "name" | "scope">

const placesIn = ({ setting: { home }, workspace: { root } }: Place): ServerNotation.Places => ({
  root,
  home,
  real: realBelow([home, root])
})

/** Several may stand in one text, as `agents grant` takes them. */
const grantsIn = (specs: ReadonlyArray<string>, place: Place): Either.Either<ReadonlyArray<Entry>, string> =>
  Either.all(
    specs
      .flatMap((spec) => (spec.trim() === "" ? [spec] : splitSpecs(spec)))
      .map((spec) => {
        const { entry, grant } = ServerNotation.requirement(spec, placesIn(place))
        if (entry !== undefined) return Either.right(entry)
        const { code, detail, remedy } = Either.isLeft(grant)
          ? grant.left
          : { code: "", detail: spec, remedy: "" }
        return Either.left(`Invalid capability spec: ${code}: ${detail}; ${remedy}`)
      })
  )

/** The server as it would be read, once it is written. */
const entryIn = (text: string, name: string, place: Place): ServerNotation.Entry | undefined => {
  const whole = readYaml(text)
  const root = Either.isRight(whole) ? whole.right : undefined
  const value = root?._tag === "Mapping" ? root.entries.get("mcp_servers")?.value : undefined
  if (value === undefined) return undefined
  const read = ServerNotation.read(placesIn(place))(value, "mcp_servers")
  return Either.isRight(read) ? read.right.find((one) => one.name === name) : undefined
}

const proposalsOf = ({ refused }: Probed): ReadonlyArray<Proposal> =>
  refused.flatMap(({ host, remedies }): ReadonlyArray<Proposal> => {
    const grants = Either.all(remedies.map((remedy) => Grant.parse(remedy)))
    return Either.isLeft(grants)
      ? []
      : [{ name: host, about: "it was refused this host when it was started", grants: grants.right }]
  })

const NOTHING = "a server that may touch nothing, and that everybody may use"

const UNSEEN = "files that it was refused cannot be seen from outside: name those that it needs"

interface Chosen {
  readonly grants: ReadonlyArray<Entry>
  readonly proposed?: ReadonlyArray<string>
  readonly failed?: string | undefined
}

const failure = ({ failed }: Probed): ReadonlyArray<string> =>
  failed === undefined ? [] : [`started with nothing held, it failed: ${failed}`]

const chosen = async (
  change: Change,
  command: ServersAddCommand,
  place: Place,
  definition: Omit<ServerEdit.Definition, "requires">
): Promise<Chosen | number> => {
  const { around } = change
  if (command.requires.length > 0) {
    const grants = grantsIn(command.requires, place)
    return Either.isLeft(grants) ? refuse(change, grants.left) : { grants: grants.right }
  }
  if (command.yes) return { grants: [] }
  const probed = await probe(definition, place, around)
  const proposals = proposalsOf(probed)
  const proposed = [...new Set(proposals.flatMap(({ grants }) => grants.map((one) => Grant.print(one))))]
  const tty = command.json || command.dryRun ? undefined : around.tty
  if (tty === undefined) {
    const { failed } = probed
    if (command.dryRun) {
      for (const line of failure(probed)) around.complain(`bailiwick: ${line}`)
      return { grants: [], proposed, failed }
    }
    const hint = proposed.length === 0 ? "" : ` (it was refused ${proposed.join(" ")})`
    return refuse(
      change,
      [
        `it is not said what ${command.server} requires${hint}`,
        ...failure(probed),
        "add --requires for each grant, or --yes if it needs none"
      ].join("; "),
      { proposed, failed }
    )
  }
  const told = [
    ...failure(probed),
    ...(proposals.length === 0 ? ["it asked for no host when it was started with nothing held"] : []),
    UNSEEN
  ]
  for (const line of told) tty.write(`${line}\r\n`)
  const recipient = {
    id: `the server ${command.server}`,
    root: place.workspace.root,
    places: agentPlaces(place.setting),
    nothing: NOTHING
  }
  const picked = await pickGrants(around, tty, recipient, proposals)
  if (!("unanswered" in picked)) return { grants: picked, proposed }
  around.complain(`bailiwick: ${UNDONE}`)
  return picked.unanswered === "interrupted" ? 130 : 1
}

const distinct = (grants: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  grants.filter((one, at) => grants.findIndex((other) => Grant.same(one, other)) === at)

const NEXT = "run 'bailiwick manifest' to see what it says of its tools, and to offer them"

const added = (
  seen: Terminal,
  { command, file }: Change,
  requires: ReadonlyArray<Shown>,
  allows: ReadonlyArray<Inquiry.Kind>
): string =>
  [
    `${marked(seen, "good")} Added ${command.server} to ${file}\n`,
    requires.length === 0
      ? "it requires nothing: everybody may use it, and it may touch nothing\n"
      : rows(
          seen,
          requires.map((one) => shownRow(one))
        ),
    rows(seen, allows.map(inquiryRow)),
    `${NEXT}\n`
  ].join("")

export const add = async (command: ServersAddCommand, around: Surroundings): Promise<number> => {
  const place = placeOf(command, around)
  const { file } = place
  const change: Change = { command, around, file }
  const wrong = wrongWith(command, place)
  if (wrong !== undefined) return refuse(change, wrong)
  const text = readText(file)
  const definition = { name: command.server, keys: keysOf(command) }
  const picked = await chosen(change, command, place, definition)
  if (typeof picked === "number") return picked
  const grants = distinct(picked.grants)
  const edited = ServerEdit.add(text, { ...definition, requires: grants })
  if (Either.isLeft(edited)) return refuse(change, `${file} was not changed: ${edited.left}`)
  const entry = entryIn(edited.right, command.server, place)
  const unusable = entry === undefined ? "it could not be read" : ServerNotation.whyUnusable(entry, file)
  if (entry === undefined || unusable !== undefined) {
    return refuse(change, `${file} was not changed, for nobody could use the server: ${unusable}`)
  }
  const all = ServerNotation.grantsOf(entry) ?? []
  const requires = byRisk(all.map((grant): Shown => ({ grant, inert: undefined })))
  const allows = allowsOf(command)
  const { failed, proposed } = picked
  const outcome = { requires, allows, proposed, failed }
  if (command.dryRun) return plan(change, outcome, text, edited.right)
  const refused = await consent(change, {
    lines: [
      `Add ${command.server} (${file}); all of this an agent must hold to use it, and it may touch this and nothing else:`
    ],
    requires,
    allows,
    question: requires.length === 0 ? "Add it, though everybody may use it?" : "Add it?",
    undone: UNDONE
  })
  if (refused !== undefined) return refused
  writeFile(file, text, edited.right)
  const seen = terminal({ ...around.stdout, env: around.env })
  return conclude(change, { ...outcome, outcome: "added" }, added(seen, change, requires, allows))
}

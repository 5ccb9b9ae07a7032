/** `tools mcp show`: all that is known of a server, with what it says of its tools marked as its words. */
import type { Server } from "../../../../policy/server/Server.js"
import { seen as shown } from "../../../../policy/text/Quote.js"
import type * as Manifest from "../../../../registry/manifest/Manifest.js"
import type { ServersCommand } from "../../../Arguments.js"
import { count, type Row, rows } from "../../../report/Table.js"
import { type Terminal, terminal, visible } from "../../../report/Terminal.js"
import type { Surroundings } from "../../../Surroundings.js"
import { shownRow } from "../../agents/ShownGrants.js"
import { entryNamed, type Found, foundIn, foundJson, placeOf } from "./found.js"
import { inquiryJson, inquiryRow } from "./inquiries.js"

const about = (server: Server | undefined): ReadonlyArray<string> => {
  if (server === undefined) return []
  const { transport } = server
  if (transport._tag === "Remote") {
    return transport.headers.map(({ name, ref }) => `header ${name}: the secret ${ref}`)
  }
  return [
    ...transport.env.map((ref) => `variable ${ref}: the secret of that name`),
    ...transport.code.map((path) => `reads ${path} as its own code`),
    ...(transport.cwd === undefined ? [] : [`starts in ${transport.cwd}`])
  ]
}

const hintsOf = ({ destructive, idempotent, openWorld, readOnly }: Manifest.Pinned): string =>
  [
    readOnly ? "reads only" : destructive ? "may destroy" : "writes",
    ...(idempotent ? ["idempotent"] : []),
    ...(openWorld ? ["reaches others"] : [])
  ].join(", ")

const toolText = (seen: Terminal, name: string, says: Manifest.Pinned): string =>
  [
    seen.bold(name),
    `  the server says: ${hintsOf(says)}${says.title === undefined ? "" : `; its title: ${shown(says.title)}`}`,
    ...says.description.split(/\r?\n/).map((line) => `  | ${shown(line)}`),
    `  parameters: ${shown(JSON.stringify(says.parameters))}`,
    ...(says.output === undefined ? [] : [`  answer: ${shown(JSON.stringify(says.output))}`])
  ]
    .map((line) => `${visible(line)}\n`)
    .join("")

const requirementHead = ({ grants, state }: Found): ReadonlyArray<string> => {
  if (grants.length > 0) return ["requires:"]
  return state === "unusable" ? [] : ["requires nothing: it is offered to everybody, and touches nothing"]
}

const text = (seen: Terminal, found: Found, server: Server | undefined, file: string): string => {
  const { allows, grants, name, reached, state, tools, transport, why } = found
  const head = [
    `${seen.bold(name)} (${file}:${found.line})`,
    `${state}${why === undefined ? "" : `: ${why}`}`,
    ...(transport === undefined ? [] : [`${transport}: ${reached ?? ""}`]),
    ...about(server),
    ...requirementHead(found)
  ]
  return [
    head.map((line) => `${visible(line)}\n`).join(""),
    rows(
      seen,
      grants.map((grant): Row => shownRow({ grant, inert: undefined }))
    ),
    rows(seen, allows.map(inquiryRow)),
    ...(tools.size === 0
      ? []
      : [`\n${count(tools.size, "tool")}, in the words of the server, as they were accepted:\n`]),
    ...[...tools].map(([tool, says]) => toolText(seen, tool, says))
  ].join("")
}

export const show = async (command: ServersCommand, around: Surroundings): Promise<number> => {
  const place = placeOf(command, around)
  const entry = entryNamed(command.server, place)
  const found = foundIn(entry, place)
  const { file } = place
  const document = {
    ...foundJson(found, file),
    about: about(entry.server),
    allows: found.allows.map(inquiryJson),
    tools: [...found.tools].map(([name, says]) => ({ name, says }))
  }
  await around.print(
    command.json
      ? `${JSON.stringify(document, null, 2)}\n`
      : text(terminal({ ...around.stdout, env: around.env }), found, entry.server, file)
  )
  return 0
}

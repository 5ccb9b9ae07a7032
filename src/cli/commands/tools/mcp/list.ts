/** `tools mcp list`: the servers, what each requires, and how many of its tools are accepted. */
import type { ServersCommand } from "../../../Arguments.js"
import { count, type Row, rows } from "../../../report/Table.js"
import { type Terminal, terminal } from "../../../report/Terminal.js"
import type { Surroundings } from "../../../Surroundings.js"
import { toneOf } from "../../agents/ShownGrants.js"
import { type Found, foundIn, foundJson, placeOf } from "./found.js"

/** Of one that cannot be used it is not known what it requires: that it requires nothing would be said of a harmless one. */
const requirementOf = ({ requires, state }: Found): ReadonlyArray<string> => {
  if (requires.length > 0) return [`requires ${requires.join(" ")}`]
  return state === "unusable" ? [] : ["requires nothing"]
}

const rowOf = (found: Found): Row => {
  const { allows, name, reached, risk, state, tools, transport, why } = found
  return {
    mark: state === "ready" ? "good" : state === "unusable" ? "bad" : "warning",
    label: risk ?? "none",
    tone: risk === undefined ? "dim" : toneOf(risk),
    title: name,
    detail: [
      ...(transport === undefined ? [] : [`${transport}: ${reached ?? ""}`]),
      ...requirementOf(found),
      ...(allows.length === 0 ? [] : [`may ask for ${allows.join(", ")}`]),
      `${count(tools.size, "tool")} accepted`,
      ...(why === undefined ? [] : [`${state}: ${why}`])
    ]
  }
}

const text = (seen: Terminal, all: ReadonlyArray<Found>): string => {
  if (all.length === 0) return "no MCP servers; 'bailiwick tools mcp add NAME -- COMMAND' adds one\n"
  const ready = all.filter(({ state }) => state === "ready").length
  return `${rows(seen, all.map(rowOf))}\n${seen.bold(`${count(all.length, "server")}, ${ready} ready`)}\n`
}

export const list = async (command: ServersCommand, around: Surroundings): Promise<number> => {
  const place = placeOf(command, around)
  const all = place.workspace.servers.map((entry) => foundIn(entry, place))
  await around.print(
    command.json
      ? `${JSON.stringify({ servers: all.map((one) => foundJson(one, place.file)) }, null, 2)}\n`
      : text(terminal({ ...around.stdout, env: around.env }), all)
  )
  return 0
}

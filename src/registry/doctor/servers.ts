/** MCP servers: that each has a name of its own, and that what it requires is a grant, and gives something. */
import { Either } from "effect"
import * as Grant from "../../policy/grant/Grant.js"
import { isServerName } from "../../policy/ToolOrigin.js"
import { quote } from "../../policy/text/Quote.js"
import type { Finding, Input, Server } from "./Model.js"
import { type Check, some } from "./subjects.js"

type Wrong = Pick<Finding, "code" | "detail" | "remedy">

const wrongWith = (
  grant: Server["requires"][number]["grant"],
  home: string | undefined
): Wrong | undefined => {
  if (Either.isLeft(grant)) return grant.left
  const compiled = Grant.compile(grant.right, { home })
  if (Either.isLeft(compiled)) return compiled.left
  const { inert } = compiled.right
  return (
    inert && {
      code: "GRANT_INERT",
      detail: `${inert.detail}, so that it requires nothing`,
      // A server has no root of its own to fall back to.
      remedy: inert.reason === "no root" ? "write its directory as 'in'" : inert.remedy
    }
  )
}

/** Tools are told apart by the names of their servers, and lists of servers hold no other. */
const wronglyNamed = (all: ReadonlyArray<Server>): ReadonlyArray<Finding> => {
  const first = new Map<string, Server>()
  return all.flatMap((server): ReadonlyArray<Finding> => {
    const { file, line, name } = server
    const at = {
      severity: "warning",
      check: "mcp servers",
      subject: `mcp_servers.${name}`,
      file,
      line
    } as const
    const other = first.get(name)
    if (other !== undefined) {
      const where = other.line === undefined ? "" : `, first in line ${other.line}`
      const detail = `two servers are named ${quote(name)}${where}`
      return [{ ...at, code: "KEY_DUPLICATE", detail, remedy: "give one of them another name" }]
    }
    first.set(name, server)
    if (isServerName(name)) return []
    return [
      {
        ...at,
        code: "NAME_INVALID",
        detail: `${quote(name)} is not the name of an MCP server`,
        remedy: "write 1 to 64 letters, digits, '-' and single '_', none at the end"
      }
    ]
  })
}

const findingsOf = ({ file, name, requires }: Server, { home }: Input): ReadonlyArray<Finding> =>
  requires.flatMap(({ grant, line }): ReadonlyArray<Finding> => {
    const wrong = wrongWith(grant, home)
    if (wrong === undefined) return []
    const { code, detail, remedy } = wrong
    return [
      {
        severity: "warning",
        check: "mcp servers",
        subject: `mcp_servers.${name}`,
        code,
        file,
        line,
        detail: `what the server requires cannot be held: ${detail}`,
        remedy
      }
    ]
  })

const serversOf = ({ workspace }: Input): ReadonlyArray<Server> => workspace?.servers ?? []

export const servers: Check = {
  name: "mcp servers",
  passed: (input) => {
    const { length } = serversOf(input)
    return length === 0 ? undefined : `${some(length, "server")}, all that they require understood`
  },
  findings: (input) => {
    const all = serversOf(input)
    return [...wronglyNamed(all), ...all.flatMap((server) => findingsOf(server, input))]
  }
}

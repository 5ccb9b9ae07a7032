/** What MCP servers require: that each is a grant, and gives something. */
import { Either } from "effect"
import * as Grant from "../../policy/grant/Grant.js"
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
  findings: (input) => serversOf(input).flatMap((server) => findingsOf(server, input))
}

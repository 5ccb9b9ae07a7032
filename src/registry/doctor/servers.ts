/**
 * MCP servers: that each has a name of its own and is written as one, that what it requires is a grant and gives
 * something, that its command and its secrets are there, and that somebody has accepted its tools.
 */
import { Either, Option } from "effect"
import * as Grant from "../../policy/grant/Grant.js"
import * as Authority from "../../policy/lattice/Authority.js"
import * as Request from "../../policy/lattice/Request.js"
import * as Inquiry from "../../policy/server/Inquiry.js"
import { isServerName, looksLike } from "../../policy/ToolOrigin.js"
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

const at = ({ file, line, name }: Server) =>
  ({ severity: "warning", check: "mcp servers", subject: `mcp_servers.${name}`, file, line }) as const

/** Tools are told apart by the names of their servers, and lists of servers hold no other. */
const wronglyNamed = (all: ReadonlyArray<Server>): ReadonlyArray<Finding> => {
  const first = new Map<string, Server>()
  return all.flatMap((server): ReadonlyArray<Finding> => {
    const { name } = server
    const other = first.get(looksLike(name))
    if (other !== undefined) {
      const where = other.line === undefined ? "" : ` in line ${other.line}`
      const detail =
        name === other.name
          ? `two servers are named ${quote(name)}${where && `, first${where}`}`
          : `${quote(name)} looks like ${quote(other.name)}${where}, and so would the names of their tools`
      return [{ ...at(server), code: "KEY_DUPLICATE", detail, remedy: "give one of them another name" }]
    }
    first.set(looksLike(name), server)
    if (isServerName(name)) return []
    return [
      {
        ...at(server),
        code: "NAME_INVALID",
        detail: `${quote(name)} is not the name of an MCP server`,
        remedy: "write 1 to 64 letters, digits, '-' and single '_', none at the end"
      }
    ]
  })
}

const findingsOf = (server: Server, { home }: Input): ReadonlyArray<Finding> =>
  server.requires.flatMap(({ grant, line }): ReadonlyArray<Finding> => {
    const wrong = wrongWith(grant, home)
    if (wrong === undefined) return []
    const { code, detail, remedy } = wrong
    return [
      {
        ...at(server),
        code,
        line,
        detail: `what the server requires cannot be held: ${detail}`,
        remedy
      }
    ]
  })

const problemsOf = (server: Server): ReadonlyArray<Finding> =>
  (server.problems ?? []).map((one) => ({ ...at(server), ...one, line: one.line ?? server.line }))

/** All that is required, as one authority. */
const authorityOf = ({ requires }: Server, home: string | undefined): Authority.Authority =>
  Grant.authority(
    requires.flatMap(({ grant }) => Option.toArray(Option.flatMap(Either.getRight(grant), compiledIn(home))))
  )

const compiledIn = (home: string | undefined) => (grant: Grant.Grant) =>
  Either.getRight(Grant.compile(grant, { home }))

/** Every message is a POST to its own address: one that may not be sent is never answered. */
const unreached = (url: string, held: Authority.Authority): ReadonlyArray<Wrong> => {
  const asked = Request.http("POST", url)
  const decision = Either.isRight(asked) ? Authority.permits(held, asked.right) : undefined
  if (decision === undefined || decision.allowed) return []
  const { remedy } = decision.denial
  const detail = "what it requires does not let it be reached at its own address, so that every call fails"
  return [{ code: "HOST_NOT_REQUIRED", detail, remedy: `add ${remedy} to what it requires` }]
}

/** A process is shown what it may read: where it may only write, there is nothing to write to. */
const unseen = (held: Authority.Authority): ReadonlyArray<Wrong> =>
  Authority.gaps(Authority.make({ files: { read: held.scopes.files.write } }), held).map(
    ({ remedy, scope }) => ({
      code: "WRITES_UNSEEN",
      detail: `it may write ${scope} and not read it, so that its process is shown nothing there`,
      remedy: `add ${remedy} to what it requires`
    })
  )

/** A risk for each, however much it is meant. */
const asking = ({ allows = [], name }: Server): ReadonlyArray<Wrong> =>
  allows.map((kind) => ({
    code: "SERVER_MAY_ASK",
    detail: `${name} may ask for ${kind} (${Inquiry.risk(kind)}): it ${Inquiry.describe(kind)}`,
    remedy: `take '${kind}' out of 'allows' if that is not meant`
  }))

/** What is only looked at where the server could be used: one thing to mend at a time. */
const unready = (server: Server, { hasSecret, home }: Input): ReadonlyArray<Finding> => {
  const { missingCommand, name, pinned, refs = [], url } = server
  const held = authorityOf(server, home)
  const wrong = url === undefined ? unseen(held) : unreached(url, held)
  return [
    ...[...wrong, ...asking(server)].map((one) => ({ ...at(server), ...one })),
    ...(missingCommand === undefined
      ? []
      : [
          {
            ...at(server),
            code: "COMMAND_NOT_FOUND" as const,
            detail: `its command ${quote(missingCommand)} is not there`,
            remedy: "install it, or write the whole path of it"
          }
        ]),
    ...refs
      .filter((ref) => hasSecret?.(ref) === false)
      .map((ref) => ({
        ...at(server),
        code: "SECRET_MISSING" as const,
        detail: `it is given the secret ${ref}, and no backend has it`,
        remedy: "set it in the environment or in .env, or take it out"
      })),
    ...(pinned === 0
      ? [
          {
            ...at(server),
            code: "SERVER_NOT_ACCEPTED" as const,
            detail: `the lock has no tool of ${name}, so that none is offered`,
            remedy: "run 'bailiwick manifest', and look at what the server says of its tools"
          }
        ]
      : [])
  ]
}

/** A name that is wrong, or another's, comes first. */
const isNamed = ({ name }: Server, wrong: ReadonlyArray<Finding>): boolean => {
  const looks = looksLike(at({ name, file: "", requires: [] }).subject)
  return !wrong.some(({ subject }) => looksLike(subject) === looks)
}

/** What is required, then how the server is written, then what is missing around it. */
const firstOf = (server: Server, input: Input): ReadonlyArray<Finding> => {
  const required = findingsOf(server, input)
  if (required.length > 0) return required
  const problems = problemsOf(server)
  return problems.length > 0 ? problems : unready(server, input)
}

const serversOf = ({ workspace }: Input): ReadonlyArray<Server> => workspace?.servers ?? []

export const servers: Check = {
  name: "mcp servers",
  passed: (input) => {
    const { length } = serversOf(input)
    return length === 0 ? undefined : `${some(length, "server")}, all that they require understood`
  },
  findings: (input) => {
    const all = serversOf(input)
    const names = wronglyNamed(all)
    return [...names, ...all.filter((one) => isNamed(one, names)).flatMap((one) => firstOf(one, input))]
  }
}

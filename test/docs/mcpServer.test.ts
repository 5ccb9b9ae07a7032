/** The blocks that readers put into their clients start a command that there is. */
import { expect, it } from "vitest"
import { parseBlocks } from "../../scripts/docs/blocks.js"
import { parseArguments } from "../../src/cli/Arguments.js"
import { page } from "./page.js"

const PAGE = "docs/mcp-server.md"

interface Server {
  readonly command?: string
  readonly args?: ReadonlyArray<string>
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A table of TOML whose values are texts and lists of texts, which are written as in JSON. */
const fromToml = (code: string): Server =>
  Object.fromEntries(
    [...code.matchAll(/^(\w+) = (.+)$/gm)].map(([, key = "", value = ""]) => [key, JSON.parse(value)])
  )

const serverIn = (code: string): Server => {
  const { mcpServers, servers } = JSON.parse(code)
  return (mcpServers ?? servers).bailiwick
}

const blocksOf = (name: string): ReadonlyArray<Server> =>
  parseBlocks(name, page(name)).flatMap(({ code, language }) => {
    if (language === "json") return [serverIn(code)]
    return code.startsWith("[mcp_servers.bailiwick]") ? [fromToml(code)] : []
  })

const local = blocksOf(PAGE).filter(({ url }) => url === undefined)

it("there is one for each of five clients", () => {
  expect(local).toHaveLength(5)
})

it("the README names a command that there is", () => {
  const [, words = ""] = /`npx bailiwick (mcp serve [^`]+)`/.exec(page("README.md")) ?? []
  expect(parseArguments(words.split(" "))).toMatchObject({ command: "mcp serve", agent: "scout" })
})

it.each(local.map((server, at) => [at, server] as const))(
  "block %i starts what the command line takes",
  (_at, server) => {
    const [program, ...args] = server.args ?? []
    expect([server.command, program]).toEqual(["npx", "bailiwick"])
    expect(parseArguments(args)).toMatchObject({ command: "mcp serve", agent: "scout", http: undefined })
  }
)

it("the one over HTTP names the port that is served, and sends the token", () => {
  const [remote, another] = blocksOf(PAGE).filter(({ url }) => url !== undefined)
  expect(another).toBeUndefined()
  const [, words = ""] = /^\$ bailiwick (mcp serve .*--http.*)$/m.exec(page(PAGE)) ?? []
  expect(parseArguments(words.split(" "))).toMatchObject({
    command: "mcp serve",
    http: { port: Number(new URL(remote?.url ?? "").port) }
  })
  expect(remote?.headers?.Authorization).toMatch(/^Bearer /)
})

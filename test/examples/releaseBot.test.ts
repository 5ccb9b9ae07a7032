/** The release bot, with a real repository, and a server on loopback in GitHub's place. */
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { createServer } from "node:http"
import { describe, expect, it, vi } from "vitest"
import { has } from "../../scripts/lib/system.js"
import { afterTest } from "../cleanup.js"
import { followRemedies, runEveryCommand, TeamSpace } from "./everyCommand.js"

const TOKEN = "ghp_onlyForThisTest0000000000000000000000"

interface Asked {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly token: string | undefined
  readonly body: string
}

/** Answers as GitHub would, and keeps what it was asked. */
const github = async () => {
  const asked: Array<Asked> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text
    })
    request.on("end", () => {
      const { method, url } = request
      asked.push({ method, url, token: request.headers.authorization, body })
      const release = { tag_name: "v0.1.0", html_url: "https://example.com/r/1", draft: true }
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify(method === "POST" ? release : [release]))
    })
  }).listen(0, "127.0.0.1")
  afterTest(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("the server has no port")
  return { asked, endpoint: `127.0.0.1:${address.port}` }
}

const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=Team", "-c", "user.email=team@example.com", ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" }
  })

const checkedOut = (env: Record<string, string> = { GITHUB_TOKEN: TOKEN }): TeamSpace => {
  const space = new TeamSpace("release-bot", env)
  const checkout = space.path("checkout")
  mkdirSync(checkout)
  git(checkout, "init", "--quiet")
  git(checkout, "config", "user.name", "Team")
  git(checkout, "config", "user.email", "team@example.com")
  git(checkout, "commit", "--quiet", "--allow-empty", "--message", "feat: the first page")
  return space
}

const served = async () => {
  const { asked, endpoint } = await github()
  const space = checkedOut()
  vi.stubEnv("GITHUB_API_URL", `http://${endpoint}`)
  afterTest(() => vi.unstubAllEnvs())
  return { asked, endpoint, space }
}

const opened = async () => {
  const { endpoint, space, ...rest } = await served()
  space.write(
    "bailiwick.yaml",
    `tools: ["./tools/index.ts", "./services/layer.ts"]\nsandbox: { root: "./checkout" }\nprivate_hosts: ["${endpoint}"]\n`
  )
  return { ...rest, space, endpoint }
}

const draft = { name: "draft_release", args: { tag: "v0.1.0", notes: "The first page" } }

describe("the release bot", () => {
  it.runIf(has("bwrap"))("answers to every command", async () => {
    const space = checkedOut()
    const seen = await runEveryCommand(space, {
      name: "release-bot",
      agent: "releaser",
      personality: "releaser",
      workdir: "checkout",
      calls: [{ name: "changes_since_release", args: {} }],
      skill: "release",
      held: "secrets.read{refs=[GITHUB_TOKEN]}",
      wanted: "storage.use{scopes=[session]}"
    })
    const called = seen.find(({ command }) => command.startsWith("call changes_since_release --agent"))
    expect(called?.stdout).toContain("next: v0.1.0")
    expect(seen.map(({ stderr, stdout }) => stdout + stderr).join("")).not.toContain(TOKEN)
  })

  it.runIf(has("bwrap"))("tags the commit, and counts from there", async () => {
    const space = checkedOut()
    const call = (...args: ReadonlyArray<string>) =>
      space.bailiwick(["call", ...args, "--agent", "releaser", "--json"])
    expect((await call("tag_release", "tag=v0.1.0", "message=The first page")).code).toBe(0)
    expect(git(space.path("checkout"), "tag", "--list")).toBe("v0.1.0\n")
    expect(JSON.parse((await call("changes_since_release")).stdout).value).toEqual({
      last: "v0.1.0",
      next: "v0.1.1",
      changes: []
    })
    const again = await call("tag_release", "tag=v0.1.0", "message=Again")
    expect(again.code).toBe(1)
    expect(JSON.parse(again.stdout).error).toContain("already exists")
  })

  it.runIf(has("bwrap"))("does not let the scribe tag, whatever is in the message", async () => {
    const space = checkedOut()
    const { code, stderr } = await space.bailiwick([
      "call",
      "tag_release",
      "tag=v9.0.0",
      "message=--list v*",
      "--agent",
      "scribe"
    ])
    expect(code).toBe(1)
    expect(stderr).toContain("BINARY_NOT_ALLOWED")
    expect(git(space.path("checkout"), "tag", "--list")).toBe("")
  })

  it("puts a draft on the server that the workspace and the agent name", async () => {
    const { asked, space } = await opened()
    expect(await followRemedies(space, "releaser", draft)).toBe(1)
    expect(asked).toEqual([
      {
        method: "POST",
        url: "/repos/acme/site/releases",
        token: `Bearer ${TOKEN}`,
        body: JSON.stringify({ tag_name: "v0.1.0", name: "v0.1.0", body: "The first page", draft: true })
      }
    ])
  })

  it("tells the scribe each grant that is missing, and each is right", async () => {
    const { asked, space } = await opened()
    expect(await followRemedies(space, "scribe", draft)).toBe(2)
    expect(asked).toHaveLength(1)
  })

  it("sends no token to a private address that the workspace does not name", async () => {
    const { asked, endpoint, space } = await served()
    await space.bailiwick(["agents", "grant", "releaser", "net.post{hosts=[127.0.0.1]}", "--yes"])
    const { code, stderr } = await space.bailiwick([
      "call",
      "draft_release",
      "tag=v0.1.0",
      "notes=x",
      "--agent",
      "releaser"
    ])
    expect(code).toBe(1)
    expect(stderr).toContain("ADDRESS_NOT_ALLOWED")
    expect(stderr).toContain(`remedy  add "${endpoint}" to private_hosts of bailiwick.yaml`)
    expect(asked).toEqual([])
  })

  it("says which secret is missing, and where to put it", async () => {
    const space = checkedOut({})
    const { code, stdout } = await space.bailiwick(["doctor", "--strict"])
    expect(code).toBe(1)
    expect(stdout).toContain("set it in the environment or in .env")
  })
})

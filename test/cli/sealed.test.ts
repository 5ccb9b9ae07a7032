/** Sealed secrets for whoever operates agents: what each command says of them. */
import { readFileSync } from "node:fs"
import { Ask, Secrets, Tool } from "bailiwick"
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { decision, LOG, lines } from "./auditLog.js"
import { Workspace } from "./ownModules.js"
import { record, SCOUT } from "./scout.js"
import { Folder } from "./workspace.js"

const caller = Tool.make({
  name: "caller",
  description: "Calls an API",
  parameters: Schema.Struct({}),
  capabilities: { secrets: [{ ref: "API_KEY", hosts: ["api.example.com"] }] },
  asks: () => [Ask.sealed("API_KEY", "https://api.example.com/")],
  execute: () => Effect.as(Secrets.sealed("API_KEY"), "taken")
})

const reading = Tool.make({
  name: "reading",
  description: "Reads a key",
  parameters: Schema.Struct({}),
  capabilities: { secrets: ["API_KEY"] },
  execute: () => Effect.as(Secrets.get("API_KEY"), "read")
})

describe("a personality that says 'sealed'", () => {
  const space = () => {
    const made = new Workspace({ "tools.js": { caller, reading } })
    made.personality("secrets: { allow: [API_KEY], sealed: true }")
    return made
  }

  it("lets a tool take a token, and none read", async () => {
    const { stdout } = await space().turn(["caller", "reading"])
    const results = JSON.parse(stdout).results.map(({ result }: { result: object }) => result)
    expect(results).toMatchObject([
      { ok: true, value: "taken" },
      { ok: false, error: expect.stringMatching(/^SECRET_SEALED: /), denial: { code: "SECRET_SEALED" } }
    ])
  })

  it("explains it, and says what is sealed", async () => {
    const stdin = JSON.stringify([{ id: "1", name: "caller", args: {} }])
    const explained = await space().bailiwick(["explain", "-", "--personality", "personality"], { stdin })
    expect(explained.stdout).toContain("seal API_KEY to api.example.com:443 in header:authorization")
    const listed = await space().bailiwick(["tools", "list", "--json"])
    expect(listed.stdout).toContain("API_KEY")
  })
})

describe("a grant that is sealed", () => {
  it("offers a tool that takes a token, and none that only reads", async () => {
    const made = new Workspace({ "tools.js": { caller, reading } })
    made.write(SCOUT, record("capabilities:\n  - secrets.read: { refs: [API_KEY], sealed: true }"))
    const { stdout } = await made.bailiwick(["tools", "list", "--agent", "scout", "--json"])
    const { missing, tools } = JSON.parse(stdout)
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(["caller"])
    expect(missing).toContainEqual(expect.objectContaining({ name: "reading" }))
  })

  it("is given, shown and found", async () => {
    const folder = new Folder({ "bailiwick.yaml": "", [SCOUT]: record("capabilities: []") })
    const spec = "secrets.read{refs=[API_KEY],sealed=true}"
    const granted = await folder.bailiwick(["agents", "grant", "scout", spec, "--yes"])
    expect(granted).toMatchObject({ code: 0 })
    expect(readFileSync(folder.path(SCOUT), "utf8")).toContain(
      "secrets.read: { refs: [API_KEY], sealed: true }"
    )
    const shown = await folder.bailiwick(["agents", "capabilities", "scout"])
    expect(shown.stdout).toContain("send sealed secrets of ref API_KEY")
    const who = await folder.bailiwick(["agents", "who", spec, "--json"])
    expect(who.stdout).toContain("scout")
    const plain = await folder.bailiwick(["agents", "who", "secrets.read{refs=[API_KEY]}", "--json"])
    expect(JSON.parse(plain.stdout)).toMatchObject({ agents: [], partly: [{ agent: "agents/scout" }] })
  })
})

describe("a secret that was only sent sealed", () => {
  it("need not be read: that is suggested", async () => {
    const used = decision({
      capability: "secrets.seal",
      tool: "caller",
      asked: "seal API_KEY to api.example.com:443 in header:authorization",
      scope: "API_KEY"
    })
    const folder = new Folder({
      "bailiwick.yaml": "",
      [SCOUT]: record("capabilities:", "  - secrets.read: { refs: [API_KEY, OTHER] }"),
      [LOG]: lines([used])
    })
    const { stdout } = await folder.bailiwick(["suggest", "--agent", "scout", "--json"])
    expect(JSON.parse(stdout)).toMatchObject({
      unused: [],
      narrower: [
        { from: "secrets.read{refs=[API_KEY,OTHER]}", to: "secrets.read{refs=[API_KEY],sealed=true}" }
      ]
    })
  })
})

/** Threat: a grant of files that reaches further than its root, or not as far as it says. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { quoted, verdict, World } from "./world.js"

const HOME = quoted("fs.read{in=~/p}")

describe("a grant of files, as an agent's call meets it", () => {
  it("H18/H19: ~ stands for the home, in the grant and in the call", async () => {
    const world = new World()
    for (const path of ["~/p/f", world.path("home/p/f")]) {
      expect(await world.ask(HOME, "read_file", { path })).toMatchObject({
        ok: true,
        value: { content: "inside\n" }
      })
    }
    expect(verdict(await world.ask(HOME, "read_file", { path: "~/q/f" }))).toBe("scope_violation")
  })

  it("H22: a new file in a directory that is not there is written whole, and leaves nothing beside it", async () => {
    const world = new World()
    const made = await world.ask(quoted("fs.write{in=~/p}"), "write_file", {
      path: "~/p/new/deep/g",
      content: "hi"
    })
    expect(made).toMatchObject({ ok: true, value: { bytes: 2 } })
    expect(readFileSync(world.path("home/p/new/deep/g"), "utf8")).toBe("hi")
    expect(readdirSync(world.path("home/p/new/deep"))).toEqual(["g"])
  })

  it("H24: to search is to read the directory that is searched", async () => {
    const world = new World()
    const search = { path: "~/p", pattern: "ins" }
    expect(await world.ask(HOME, "search_files", search)).toMatchObject({
      value: { matches: [{ line: 1, text: "inside" }] }
    })
    expect(verdict(await world.ask(quoted("fs.write{in=~/p}"), "search_files", search))).toBe(
      "capability_absent"
    )
    expect(verdict(await world.ask(HOME, "search_files", { ...search, path: "~/q" }))).toBe("scope_violation")
  })

  it("H25: a file that is not text is answered with its size, and not with bytes", async () => {
    const world = new World()
    writeFileSync(world.path("home/p/bin"), new Uint8Array([0xff, 0xfe, 0, 1]))
    const { value } = await world.ask(HOME, "read_file", { path: "~/p/bin" })
    expect(value).toMatchObject({ content: "", note: expect.stringContaining("4 bytes") })
  })

  it("H26: a leading ** does not leave the root", async () => {
    const world = new World({ "home/p/a.md": "in", "home/q/a.md": "out" })
    const grant = "capabilities: [{ fs.read: { in: ~/p, paths: ['**/*.md'] } }]"
    expect(verdict(await world.ask(grant, "read_file", { path: "~/p/a.md" }))).toBe("allowed")
    expect(verdict(await world.ask(grant, "read_file", { path: "~/q/a.md" }))).toBe("scope_violation")
  })

  it("G6/G7: a sandbox wider than the workspace's is clamped, with a warning, and opens nothing outside", async () => {
    const world = new World({ "bailiwick.yaml": "sandbox: { root: ~/p, mode: off }\n" })
    world.agent("scout", `sandbox: ${world.path("home/q")}`)
    const { answers, stderr } = await world.send("run", "scout", [
      ["read_file", { path: "~/q/f" }],
      ["read_file", { path: "~/p/f" }]
    ])
    expect(answers.map(({ result }) => verdict(result))).toEqual(["scope_violation", "allowed"])
    expect(stderr).toContain("can only narrow")
  })
})

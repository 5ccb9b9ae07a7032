/** What a program ends with that was given a wrong text: the problem, and not that there was one. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import * as MemoryRecords from "../../src/capabilities/records/MemoryRecords.js"
import { Grant, Personality, Request } from "../../src/index.js"

const config = { file: "config.yaml", text: "id: reader\nfs_reech: { read: [/work] }" }

describe("what is thrown", () => {
  it.each([
    [
      "a personality",
      () => Personality.parseSync({ config }, { workdir: "/work" }),
      "KEY_UNKNOWN: config.yaml:2:1 'fs_reech' is not a key of a personality; write 'fs_reach'"
    ],
    [
      "a grant",
      () => Grant.parseSync("net.get{host=[a.com]}"),
      "SCOPE_KEY_UNKNOWN: unknown scope key 'host' on 'net.get'; did you mean 'hosts'?"
    ],
    [
      "a request",
      () => Request.parseSync("read /work/../etc/passwd"),
      "PATH_INVALID: '/work/../etc/passwd' contains '..' and is always refused; write the path it stands for"
    ]
  ] as const)("for %s is the problem itself, in words", (_, thrower, message) => {
    expect(thrower).toThrow(message)
  })

  it("is nothing for what can be read", () => {
    const good = { file: "config.yaml", text: "id: reader" }
    expect(Personality.parseSync({ config: good }, { workdir: "/work" }).id).toBe("reader")
    expect(Grant.print(Grant.parseSync("net.get{hosts=[a.com]}"))).toBe("net.get{hosts=[a.com]}")
    expect(Request.parseSync("read /work").capability).toBe("files.read")
  })

  it("for a record in memory names the id", () => {
    expect(() => MemoryRecords.make([{ id: "../x", text: "" }])).toThrow("is not an id")
  })

  it("is nowhere shown as what Either throws of its own, on any page", () => {
    const root = join(import.meta.dirname, "../..")
    const pages = ["README.md", "ARCHITECTURE.md", "SECURITY.md"]
    const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"))
    for (const page of [...pages, ...docs.map((name) => join("docs", name))]) {
      expect(readFileSync(join(root, page), "utf8"), page).not.toContain("Either.getOrThrow(")
    }
  })
})

const variable = (name: string) => `\${${name}}`

const [CWD, WORKSPACE] = [variable("CWD"), variable("WORKSPACE")]

describe("a token that stands for nowhere", () => {
  const reading = (entry: string, places: Partial<Personality.Places>) =>
    Personality.parse(
      { config: { file: "p/config.yaml", text: `id: a\nfs_reach:\n  read: ["${entry}"]` } },
      { workdir: "/work", home: "/home/me", workspace: "/ws", ...places }
    )
  const messageOf = (parsed: ReturnType<typeof reading>) =>
    Either.isLeft(parsed) ? parsed.left.message : "read"

  it.each([
    [CWD, { workdir: "" }, `'${CWD}' stands for the working directory, and that is empty`],
    [`${CWD}/x`, { workdir: "" }, `'${CWD}' stands for the working directory, and that is empty`],
    [
      CWD,
      { workdir: "w" },
      `'${CWD}' stands for the working directory, and that is 'w', which is not absolute`
    ],
    ["~", { home: "" }, "'~' stands for the home, and that is empty"],
    ["~/x", { home: "" }, "'~' stands for the home, and that is empty"],
    [WORKSPACE, { workspace: "" }, `'${WORKSPACE}' stands for the root of the workspace, and that is empty`]
  ])("%s is refused, with its name, the file and the line", (entry, places, why) => {
    expect(messageOf(reading(entry, places))).toMatch(/^PATH_INVALID: p\/config\.yaml:3:10 /)
    expect(messageOf(reading(entry, places))).toContain(why)
    expect(messageOf(reading(entry, places))).toContain("as an absolute path")
  })

  it("is refused also where nobody wrote it", () => {
    expect(messageOf(reading("/data", { workdir: "" }))).toBe(
      `PATH_INVALID: p/config.yaml:1:1 '${CWD}' stands for the working directory, and that is empty; give the working directory as an absolute path`
    )
  })

  it("is no root of all files for a grant either", () => {
    const grant = Grant.parseSync("fs.read{in=~/x}")
    const compiled = Grant.compile(grant, { home: "" })
    expect(Either.isLeft(compiled) && compiled.left.message).toContain(
      "starts at a home, and there is none here"
    )
  })
})

/** What could be taken from a personality, and its file as it then is. */
import { readFileSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { at, decision, LOG, lines, refusal } from "./auditLog.js"
import { FakeTty, keys } from "./fakeTty.js"
import { Folder } from "./workspace.js"

/** As it is written: a directory that stands for another. */
const WORKSPACE = `\${WORKSPACE}`

const CWD = `\${CWD}`

const FILE = "personalities/helper/config.yaml"

const CONFIG = [
  "id: helper # who",
  "fs_reach:",
  "  # what it reads",
  "  read:",
  `    - ${WORKSPACE} # all of it`,
  "    - /data",
  "  write: [/work, /tmp/x]",
  "safety:",
  "  network:",
  '    allow: ["*.github.com", unused.example] # hosts',
  "    deny: [evil.github.com]",
  "    private:",
  "      - 127.0.0.1:8080",
  "      - 127.0.0.1:9090",
  "process:",
  '  allow: ["*"]',
  "secrets: { allow: [KEY, OTHER] }",
  "attachments: { kinds: '*' }",
  "grants:",
  "  - records.update # notes",
  "  - agent.delete",
  ""
].join("\n")

const mine = (over: Parameters<typeof decision>[0]) =>
  decision({ agent: undefined, personality: "helper", ...over })

const used = (root: string) => [
  mine({ asked: "POST https://api.github.com/x", capability: "network.post" }),
  mine({ asked: "GET http://127.0.0.1:8080/", scope: "127.0.0.1" }),
  mine({ capability: "files.read", asked: `read ${root}/docs/a.md`, scope: `${root}/` }),
  mine({ capability: "files.delete", asked: "delete /work/out/x", scope: "/work/" }),
  mine({
    capability: "process.exec",
    asked: `exec git with 1 argument in ${root}/docs`,
    scope: `git:* in ${root}/`
  }),
  mine({ capability: "process.eval", asked: "eval in /data/site", scope: "/data/" }),
  mine({ capability: "secrets.read", asked: "secret KEY", scope: "KEY" }),
  mine({ capability: "attachments.read", asked: "attachment image", scope: "*" }),
  mine({
    capability: "records.update",
    asked: "records.update notes/a of class note",
    scope: "* path **",
    time: at(9)
  })
]

const folderWith = (entries: (root: string) => ReadonlyArray<object>, config = CONFIG): Folder => {
  const folder = new Folder({ "bailiwick.yaml": "", [FILE]: config, "docs/a.md": "x" })
  folder.write(LOG, lines(entries(folder.root)))
  return folder
}

const suggest = (folder: Folder, ...args: ReadonlyArray<string>) =>
  folder.bailiwick(["suggest", "--personality", "helper", ...args])

describe("suggest --personality", () => {
  it("says entry by entry what was not needed, and what could be narrower", async () => {
    const folder = folderWith(used)
    const { code, stderr, stdout } = await suggest(folder, "--json")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const said = JSON.parse(stdout)
    expect(said).toMatchObject({ personality: "helper", decisions: 9, counted: 9, leftOut: 0 })
    expect(said.unused).toEqual([
      "fs_reach.write: /tmp/x",
      "safety.network.allow: unused.example",
      "safety.network.private: 127.0.0.1:9090",
      "secrets.allow: OTHER",
      "grants: agent.delete"
    ])
    expect(said.narrower.map(({ from, to }: Record<string, string>) => [from, to])).toEqual([
      [`fs_reach.read: ${WORKSPACE}`, `fs_reach.read: ${WORKSPACE}/docs`],
      ["fs_reach.read: /data", "fs_reach.read: /data/site"],
      ["fs_reach.write: /work", "fs_reach.write: /work/out/x"],
      ["safety.network.allow: *.github.com", "safety.network.allow: api.github.com"],
      ["process.allow: *", "process.allow: git"],
      ["process.allow: *", "process.allow: sh"],
      ["attachments.kinds: *", "attachments.kinds: image"],
      ["grants: records.update", "grants: records.update{classes=[note],paths=[notes/a]}"]
    ])
  })

  it("writes the file, with its comments, its order and its styles", async () => {
    const folder = folderWith(used)
    const { code, stdout } = await suggest(folder, "--apply", "--yes")
    expect(code).toBe(0)
    expect(stdout).toContain(`✓ Wrote ${folder.path(FILE)}: 5 gone, 7 narrower\n`)
    expect(readFileSync(folder.path(FILE), "utf8")).toBe(
      [
        "id: helper # who",
        "fs_reach:",
        "  # what it reads",
        "  read:",
        `    - "${WORKSPACE}/docs" # all of it`,
        "    - /data/site",
        "  write: [/work/out/x]",
        "safety:",
        "  network:",
        "    allow: [api.github.com] # hosts",
        "    deny: [evil.github.com]",
        "    private:",
        "      - 127.0.0.1:8080",
        "process:",
        "  allow: [git, sh]",
        "secrets: { allow: [KEY] }",
        "attachments: { kinds: [image] }",
        "grants:",
        "  - records.update: { classes: [note], paths: [notes/a] } # notes",
        ""
      ].join("\n")
    )
    const again = JSON.parse((await suggest(folder, "--json")).stdout)
    expect(again).toMatchObject({ outcome: "unchanged", unused: [], narrower: [] })
  })

  it("leaves a file alone that somebody else changed meanwhile", async () => {
    const folder = folderWith(used)
    const theirs = CONFIG.replace("# who", "# theirs")
    const tty = new FakeTty(["y", keys.enter])
    const answering = tty.open
    const { code, stderr } = await folder.bailiwick(["suggest", "--personality", "helper", "--apply"], {
      tty: {
        ...tty,
        size: tty.size,
        write: tty.write,
        open: () => {
          writeFileSync(folder.path(FILE), theirs)
          return answering()
        }
      }
    })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/was not changed: .*(?:changed|meanwhile|another)/)
    ])
    expect(readFileSync(folder.path(FILE), "utf8")).toBe(theirs)
  })

  it("leaves a list empty that had entries, and never takes its key away: absent would be more", async () => {
    const folder = folderWith(() => [mine({})])
    await suggest(folder, "--apply", "--yes")
    const after = readFileSync(folder.path(FILE), "utf8")
    expect(after).toContain("  read: []\n")
    expect(after).toContain("  allow: []\n")
    expect(after).toContain("secrets: { allow: [] }\n")
    expect(after).toContain("attachments: { kinds: [] }\n")
    expect(after).toContain("grants: []\n")
  })

  it("needs directories that commands ran in, where commands are left to tools", async () => {
    const config = "id: helper\nfs_reach: { read: [/work, /other] }\n"
    const folder = folderWith(
      () => [mine({ capability: "process.exec", asked: "exec git in /work/site", scope: "git:* in /work/" })],
      config
    )
    const said = JSON.parse((await suggest(folder, "--json")).stdout)
    expect(said).toMatchObject({ counted: 1, unused: ["fs_reach.read: /other"] })
    expect(said.narrower).toMatchObject([{ to: "fs_reach.read: /work/site" }])
  })

  it.each([
    [
      "another one",
      "sub/",
      [],
      [`fs_reach.read: all of it stays, for it begins at ${CWD}, and some of what`]
    ],
    ["this one", "", [`fs_reach.read: ${CWD}/sub/a.md`], []]
  ])(
    "takes nothing from what begins at a working directory where turns were in %s",
    async (_, at, to, notes) => {
      const config = `id: helper\nfs_reach: { read: ['${CWD}', /data] }\nstorage: { scopes: [session] }\n`
      const read = (root: string) => ({ asked: `read ${root}/sub/a.md`, scope: `${root}/${at}` })
      const folder = folderWith((root) => [mine({ capability: "files.read", ...read(root) })], config)
      folder.write("sub/a.md", "x")
      const said = JSON.parse((await suggest(folder, "--json")).stdout)
      expect(said.narrower.map((one: { readonly to: string }) => one.to)).toEqual(to)
      expect(said.notes).toEqual(notes.map((note) => expect.stringContaining(note)))
      expect(said.unused).toContain("storage.scopes: session")
    }
  )

  it("keeps commands that ran in the working directory of a turn, wherever that was", async () => {
    const config = "id: helper\nprocess: { allow: [git, ls, 'echo one *', sh] }\n"
    const ran = (asked: string, scope: string, capability = "process.exec") =>
      mine({ capability, asked: `${asked} in /far/away`, scope: `${scope} in /far/away` })
    const folder = folderWith(
      () => [
        ran("exec git with 1 argument", "git:*"),
        ran("exec echo with 2 arguments", "echo one *"),
        mine({ capability: "process.eval", asked: "eval in /far/away", scope: "/far/away" })
      ],
      config
    )
    expect(JSON.parse((await suggest(folder, "--json")).stdout)).toMatchObject({
      counted: 3,
      leftOut: 0,
      unused: ["process.allow: ls"],
      narrower: []
    })
  })

  it("takes what stands for the same as a working directory for what was used, not that", async () => {
    const config = `id: helper\nfs_reach: { read: ['${CWD}', '${WORKSPACE}'] }\n`
    const read = (root: string) => ({ asked: `read ${root}/docs/a.md`, scope: `${root}/` })
    const folder = folderWith((root) => [mine({ capability: "files.read", ...read(root) })], config)
    expect(JSON.parse((await suggest(folder, "--json")).stdout)).toMatchObject({
      unused: [`fs_reach.read: ${CWD}`],
      narrower: [{ from: `fs_reach.read: ${WORKSPACE}`, to: `fs_reach.read: ${WORKSPACE}/docs/a.md` }]
    })
  })

  it("asks about what was refused in the words of a personality", async () => {
    const again = [1, 2, 3].map((n) => refusal({ agent: undefined, personality: "helper", time: at(n) }))
    const folder = folderWith(() => [mine({}), ...again])
    const said = JSON.parse((await suggest(folder, "--json")).stdout)
    expect(said.refused).toMatchObject([
      {
        spec: "net.get{hosts=[example.com]}",
        times: 3,
        risk: "medium",
        add: [{ key: "safety.network.allow", entry: "example.com" }]
      }
    ])
    expect((await suggest(folder)).stdout).toContain(
      "medium  safety.network.allow: example.com  is it to fetch"
    )
  })

  it("says what it cannot write in part, and changes nothing", async () => {
    const config = "id: helper\nsafety: { network: { allow: [ # a\n  '*.github.com', # b\n  x.example ] } }\n"
    const folder = folderWith(() => [mine({})], config)
    const { code, stderr, stdout } = await suggest(folder, "--apply", "--yes")
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("cannot be changed in part; edit the file by hand")
    expect(readFileSync(folder.path(FILE), "utf8")).toBe(config)
  })
})

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: personalities write their variables like this
/**
 * Personalities are where a slip is most expensive: a typo that reads as "not set", a scalar taken for a list, a path
 * that means more than its author saw. So every slip here must be an error with a line, and nothing may be wider than
 * what is written. The ids in brackets name the conformance and attack cases.
 */
import { Either, Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as Floor from "../../src/policy/gate/floor/Floor.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import * as Personality from "../../src/policy/personality/Personality.js"
import { allows, places, read, refused } from "./personalities.js"

const net = (yaml: string) => read(`id: p\nsafety:\n  network: ${yaml}`)
const get = (yaml: string, url: string) => allows(net(yaml), `GET ${url}`)
const reach = (...paths: ReadonlyArray<string>) => `id: p\nfs_reach:\n  read: ${JSON.stringify(paths)}`

describe("what is not written is not allowed", () => {
  it("[B9] an id alone holds nothing, and leaves four sections to declarations", () => {
    const personality = read("id: p")
    expect(Authority.isNothing(personality.authority)).toBe(true)
    expect(personality.asDeclared).toEqual(["process", "secrets", "storage", "attachments"])
    expect(personality.toolset).toBeUndefined()
  })

  it("[H9, B9] empty lists are empty, and a section that is present is no longer as declared", () => {
    const personality = read(
      [
        "id: p",
        "toolset: []",
        "fs_reach: { read: [], write: [] }",
        "safety: { network: { allow: [], deny: [], private: [] } }",
        "process: { allow: [] }",
        "secrets: { allow: [] }",
        "storage: { scopes: [] }",
        "attachments: {}"
      ].join("\n")
    )
    expect(Authority.isNothing(personality.authority)).toBe(true)
    expect(personality.asDeclared).toEqual([])
    expect(personality.toolset).toEqual([])
  })

  it("[H2, H8, B12] one direction says nothing of the other, and the working directory is in neither", () => {
    const personality = read(reach("/data"))
    expect(allows(personality, "read /data/x")).toBe(true)
    expect(allows(personality, "write /data/x")).toBe(false)
    expect(allows(personality, "read /w/x")).toBe(false)
  })
})

describe("fs_reach", () => {
  it.each([
    ["B10", "/data", "/data/files", true],
    ["B11", "/data", "/etc", false],
    ["B13", "/data", "/database", false],
    ["B15", "/", "/etc", true],
    ["B16, T03", "/data/", "/data/x", true],
    ["H6", "~/notes", "/home/u/notes/a", true],
    ["H6", "~", "/home/u/a", true],
    ["B17", "${CWD}", "/w/x", true],
    ["H7", "${CWD}/out", "/w/out/x", true],
    ["H7", "${CWD}/out", "/w/x", false],
    ["-", "${WORKSPACE}/docs", "/ws/docs/x", true]
  ])("[%s] %s against %s is %s", (_case, entry, path, allowed) => {
    expect(allows(read(reach(entry)), `read ${path}`)).toBe(allowed)
  })

  it("[R6] a flow list is a list of paths", () => {
    const personality = read('id: p\nfs_reach:\n  read: ["/a","/b"] # two')
    expect(personality.reach.read.map(({ path }) => path)).toEqual(["/a", "/b"])
  })

  it("[H12] what a variable stands for is inserted literally", () => {
    const odd = read(reach("${CWD}/x", "~/y"), undefined, { workdir: "/a$&b/$1", home: "/h$`$'" })
    expect(odd.reach.read.map(({ path }) => path)).toEqual(["/a$&b/$1/x", "/h$`$'/y"])
  })

  it("write is also delete, and not read", () => {
    const personality = read("id: p\nfs_reach: { write: [/out] }")
    expect(["write", "delete", "read"].map((verb) => allows(personality, `${verb} /out/x`))).toEqual([
      true,
      true,
      false
    ])
  })

  it.each([
    ["H10, B14, T01", "/work/../etc", "contains '..'"],
    ["H10", "~/../x", "contains '..'"],
    ["J6", "data", "is a relative path"],
    ["-", "./data", "is a relative path"],
    ["-", "~other/x", "names another home"],
    ["-", "${HOME}/x", "is not a variable here; the variables are '${CWD}' and '${WORKSPACE}'"],
    ["-", "/a/${CWD}", "a variable that is not a directory at its start"],
    ["-", "${CWD}x", "a variable that is not a directory at its start"],
    ["-", "/data/*", "holds a wildcard"],
    ["F42", "/a\\u0000b", "control character"]
  ])("[%s] %s is an error in words", (_case, entry, words) => {
    const { code, line, message } = refused(`id: p\nfs_reach:\n  read:\n    - "${entry}"`)
    expect({ code, line }).toEqual({ code: "PATH_INVALID", line: 4 })
    expect(message).toContain(words)
  })

  it("a home or a workspace that is not there is an error where it is used", () => {
    expect(refused(reach("~/x"), undefined, { workdir: "/w" }).message).toContain("there is none here")
    expect(refused(reach("${WORKSPACE}"), undefined, { workdir: "/w" }).message).toContain(
      "no workspace here"
    )
  })

  it("[I26, F14] a root that is a link is shown with its real path, and covers both", () => {
    const real = (path: string) => path.replace(/^\/link/, "/real")
    const personality = read(reach("/link/a"), undefined, { ...places, real })
    expect(personality.reach.read).toEqual([{ written: "/link/a", path: "/link/a", real: "/real/a" }])
    expect(["/link/a/x", "/real/a/x", "/real/b"].map((path) => allows(personality, `read ${path}`))).toEqual([
      true,
      true,
      false
    ])
  })
})

describe("safety.network", () => {
  it.each([
    ["B4, C3", "{ allow: ['*.github.com'] }", "https://api.github.com/", true],
    ["B5, N68", "{ allow: ['*.github.com'] }", "https://github.com/", false],
    ["D6", "{ allow: ['*'] }", "https://anything.example/", true],
    ["B25, C8", "{ allow: [API.GitHub.com] }", "https://api.github.com/", true],
    ["N62, D10", "{ allow: ['*'], deny: [evil.com] }", "https://evil.com./", false],
    ["N62", "{ allow: ['*'], deny: [evil.com.] }", "https://evil.com/", false],
    ["N62", "{ allow: ['*'], deny: ['*.evil.com.'] }", "https://a.evil.com./", false],
    ["N63", "{ allow: ['*'], deny: [bücher.example] }", "https://xn--bcher-kva.example/", false],
    ["N64", "{ allow: ['*'], deny: [Evil.com] }", "https://EVIL.COM/", false],
    ["-", "{ allow: ['*'], deny: [evil.com] }", "https://a.evil.com/", true],
    ["-", "{ allow: ['*'], deny: ['*.evil.com'] }", "https://evil.com/", true],
    ["-", "{ allow: [a.evil.com], deny: ['*.evil.com'] }", "https://a.evil.com/", false],
    ["-", "{ allow: ['*'], deny: ['*'] }", "https://a.example/", false],
    ["-", "{ allow: ['*'], deny: ['*.com'] }", "https://a.com/", false],
    ["B8", "{ deny: [evil.com] }", "https://good.com/", false]
  ])("[%s] %s against %s is %s", (_case, yaml, url, allowed) => {
    expect(get(yaml, url)).toBe(allowed)
  })

  it("[E26] a private endpoint is named with its port, and naming it allows its host", () => {
    const personality = net('{ private: ["127.0.0.1:8080", "[::1]:9000", "db.corp.example:5432"] }')
    expect(allows(personality, "connect 127.0.0.1:8080")).toBe(true)
    expect(allows(personality, "connect 127.0.0.1:8081")).toBe(false)
    expect(allows(personality, "connect db.corp.example:5432")).toBe(true)
    expect(allows(personality, "GET http://127.0.0.1:8080/")).toBe(true)
    expect(allows(personality, "GET http://[::1]:9000/")).toBe(true)
    expect(allows(personality, "GET http://127.0.0.2/")).toBe(false)
  })

  it("a host that is denied stays denied, private or not", () => {
    const personality = net('{ private: ["127.0.0.1:8080"], deny: ["127.0.0.1"] }')
    expect(allows(personality, "GET http://127.0.0.1:8080/")).toBe(false)
  })

  it.each([
    ["-", "private", "127.0.0.1"],
    ["-", "private", "*:8080"],
    ["-", "private", "*.corp.example:80"],
    ["-", "private", "10.0.0.0/8"],
    ["-", "private", "127.0.0.1:0"],
    ["-", "private", "127.0.0.1:99999"],
    ["N59", "private", "metadata.goog:80"],
    ["E2", "allow", "metadata.google.internal"],
    ["E2", "allow", "Metadata.Google.Internal."],
    ["N69, C11", "allow", "*."],
    ["C11", "allow", "*.com"],
    ["C13", "allow", "example.com:8443"],
    ["C10", "allow", "a.*.com"],
    ["N71", "allow", "*.0.0.1"],
    ["E8", "allow", "0x7f.1"],
    ["-", "allow", "https://example.com"],
    ["-", "deny", "https://evil.com/"]
  ])("[%s] %s: %s is an error", (_case, key, entry) => {
    const { code, line } = refused(`id: p\nsafety:\n  network:\n    ${key}:\n      - "${entry}"`)
    expect({ code, line }).toEqual({ code: "HOST_INVALID", line: 5 })
  })
})

describe("process", () => {
  const runs = (allow: string, line: string, rest = "") =>
    allows(read(`id: p\nprocess: { allow: ${allow} }\n${rest}`), line)

  it.each([
    ["K18", '["git"]', "exec git log -5 in /w", true],
    ["K2", '["git"]', "exec rm -rf x in /w", false],
    ["-", '["git log *"]', "exec git log -5 in /w", true],
    ["-", '["git log *"]', "exec git push in /w", false],
    ["-", '["git:*"]', "exec git push in /w", true],
    ["-", '["git log"]', "exec git log in /w", true],
    ["-", '["git log"]', "exec git log -5 in /w", false],
    ["K3", '["*"]', "exec anything at all in /w", true],
    ["K3", '["*"]', "eval in /w", true],
    ["-", '["sh"]', "eval in /w", true],
    ["-", '["sh:*"]', "eval in /w", true],
    ["-", '["sh -c *"]', "eval in /w", false],
    ["-", '["git"]', "eval in /w", false],
    ["-", '["/usr/bin/git"]', "exec git log in /w", false],
    ["K15, P16", '["git"]', "exec git log in /etc", false],
    ["-", '["git"]', "exec git log in /w/sub", false],
    ["-", '["*"]', "eval in /w/sub", false]
  ])("[%s] %s against %s is %s", (_case, allow, line, allowed) => {
    expect(runs(allow, line)).toBe(allowed)
  })

  it("commands run in the trees that may be read or written", () => {
    const rest = "fs_reach: { read: [/r], write: [/o] }"
    expect(runs('["git"]', "exec git log in /r/a", rest)).toBe(true)
    expect(runs('["git"]', "exec git log in /o", rest)).toBe(true)
    expect(runs('["sh"]', "eval in /o/x", rest)).toBe(true)
  })

  it("where they run survives being written and read again", () => {
    const { authority } = read('id: p\nprocess: { allow: ["git"] }')
    const again = Schema.decodeSync(Authority.FromJson)(JSON.parse(JSON.stringify(authority)))
    expect(Authority.within(again, authority) && Authority.within(authority, again)).toBe(true)
  })

  it.each(["./git", "git:* x", "a/b", "git**"])("%s is an error", (entry) => {
    expect(refused(`id: p\nprocess:\n  allow: ["${entry}"]`)).toMatchObject({
      code: "COMMAND_INVALID",
      line: 3
    })
  })
})

describe("secrets, storage, attachments", () => {
  it("[S15] hold exactly what is listed", () => {
    const personality = read(
      "id: p\nsecrets: { allow: [A, providers/exa/*] }\nstorage: { scopes: [session] }\nattachments: { kinds: [image] }"
    )
    const lines = [
      "secret A",
      "secret providers/exa/key",
      "secret B",
      "storage session",
      "storage personality"
    ]
    expect(lines.map((line) => allows(personality, line))).toEqual([true, true, false, true, false])
    expect(allows(personality, "attachment image")).toBe(true)
    expect(allows(personality, "attachment file")).toBe(false)
    expect(personality.asDeclared).toEqual(["process"])
  })

  it.each(['"*"', '["*"]', "[image, audio, file]"])("attachments of kinds %s are all of them", (kinds) => {
    const personality = read(`id: p\nattachments: { kinds: ${kinds} }`)
    for (const kind of ["image", "audio", "file"]) {
      expect([kind, allows(personality, `attachment ${kind}`)]).toEqual([kind, true])
    }
  })

  it("another word alone is still no list", () => {
    expect(refused("id: p\nattachments: { kinds: image }")).toMatchObject({ code: "VALUE_INVALID" })
    expect(refused('id: p\nstorage: { scopes: "*" }')).toMatchObject({ code: "VALUE_INVALID" })
  })

  it.each([
    ["F12, S06", "secrets: { allow: ['*'] }", "REF_INVALID"],
    ["F13", "secrets: { allow: [a/../b] }", "REF_INVALID"],
    ["G24, Y07", "storage: { scopes: [globl] }", "NAME_INVALID"],
    ["B22", "attachments: { kinds: [video] }", "NAME_INVALID"]
  ])("[%s] %s is an error", (_case, line, code) => {
    expect(refused(`id: p\n${line}`)).toMatchObject({ code, line: 2 })
  })
})

describe("toolset", () => {
  it.each([
    ["R2", "", []],
    ["R3", "# none\n\n", []],
    ["R3", "---\n# none\n", []],
    ["R2", "[]", []],
    ["R4", "[a, b]", ["a", "b"]],
    ["R4", "- \"a\" # first\n- 'b'\n", ["a", "b"]],
    ["-", "toolset: [a]", ["a"]],
    ["-", "toolset: []", []],
    ["-", "- Read_File\n- toString", ["Read_File", "toString"]]
  ])("[%s] a file with %j is %j", (_case, text, names) => {
    expect(read("id: p", text).toolset).toEqual(names)
    expect(Personality.policy(read("id: p", text)).toolset).toEqual(new Set(names))
  })

  it("[R1] without one, all tools may be called", () => {
    expect(Personality.policy(read("id: p")).toolset).toBeUndefined()
  })

  it("in both places is an error that names both", () => {
    const { code, line, message } = refused("id: p\ntoolset: [a]", "[a]")
    expect({ code, line }).toEqual({ code: "TOOLSET_TWICE", line: 2 })
    expect(message).toContain("toolset.yaml")
  })

  it.each([
    ["a string", "read_file", "VALUE_INVALID"],
    ["null under its key", "toolset:", "VALUE_INVALID"],
    ["another key", "tools: [a]", "KEY_UNKNOWN"],
    ["a number", "- 1", "VALUE_INVALID"],
    ["an empty name", '- ""', "VALUE_INVALID"],
    ["a wildcard", '- "*"', "NAME_INVALID"],
    ["a name with a comment in it", '- "a # b"', "NAME_INVALID"]
  ])("%s is an error", (_what, text, code) => {
    const error = refused("id: p", text)
    expect(error.code).toBe(code)
    expect(error.message).toMatch(/toolset\.yaml:1:\d+ /)
  })
})

describe("the policy", () => {
  it("knows its personality, guards what authority is read from, and closes what holds secrets and state", () => {
    const made = Personality.parse(
      { config: { file: "/ws/personalities/p/config.yaml", text: "id: p" } },
      { ...places, closed: ["/state"] }
    )
    const policy = Personality.policy(Either.getOrThrow(made))
    expect(policy.personality).toBe("p")
    expect(policy.floor).toEqual({
      homes: ["/home/u"],
      guarded: [
        "/ws/personalities/p/config.yaml",
        "/ws/personalities/p/toolset.yaml",
        "/ws/bailiwick.yaml",
        "/ws/personalities"
      ],
      closed: ["/ws/.bailiwick", "/ws/.env", "/state"],
      code: expect.arrayContaining(["/ws/package.json", "/ws/package-lock.json", "/ws/node_modules"])
    } satisfies Floor.Floor)
  })

  it("a personality that is a single file guards that file, and not what lies beside it", () => {
    const real = (path: string) => path.replace(/^\/link(?=\/|$)/, "/real")
    const made = Personality.parse(
      { config: { file: "/link/p.yaml", text: reach("/") } },
      { home: "/home/u", workdir: "/w", real }
    )
    const { floor } = Either.getOrThrow(made)
    expect(floor.guarded).toEqual(["/link/p.yaml", "/real/p.yaml"])
    const opens = (action: "read" | "write" | "delete", path: string) =>
      Floor.forbids(floor, Either.getOrThrow(Request.file(action, path))) === undefined
    expect([
      opens("read", "/real/p.yaml"),
      opens("write", "/real/p.yaml"),
      opens("delete", "/link/p.yaml")
    ]).toEqual([true, false, false])
    expect(opens("write", "/real/toolset.yaml")).toBe(true)
  })

  it("a home that is a link is guarded by both of its names", () => {
    const real = (path: string) => path.replace(/^\/home\/u(?=\/|$)/, "/mnt/disk/u")
    const { floor } = Personality.policy(read(reach("/"), undefined, { ...places, real }))
    expect(floor.homes).toEqual(["/home/u", "/mnt/disk/u"])
    for (const path of ["/home/u/.npmrc", "/mnt/disk/u/.npmrc"]) {
      const request = Either.getOrThrow(Request.file("read", path))
      expect([path, Floor.forbids(floor, request)?.code]).toEqual([path, "PATH_NOT_REACHABLE"])
    }
  })

  it("says how commands are held: as strictly as the personality or the workspace does", () => {
    const held = (line: string, sandbox?: Personality.Places["sandbox"]) =>
      Personality.policy(read(`id: p\n${line}`, undefined, { ...places, sandbox })).sandbox
    expect(held("sandbox: required")).toBe("required")
    expect(held("", "required")).toBe("required")
    expect(held("sandbox: off", "required")).toBe("required")
    expect(held("sandbox: off", "preferred")).toBe("preferred")
    expect(held("sandbox: off", { limits: { processes: 8 } })).toBe("off")
    expect(held("sandbox: required", "off")).toBe("required")
    expect(held("")).toBeUndefined()
  })

  it("[E26] private endpoints of the workspace are private endpoints, and allow no host", () => {
    const of = (network: string, privateHosts: ReadonlyArray<string> = ["127.0.0.1:5432"]) =>
      read(`id: p\nsafety: { network: ${network} }`, undefined, { ...places, privateHosts }).authority.scopes
    const own = read('id: p\nsafety: { network: { private: ["127.0.0.1:5432", "[::1]:80"] } }')
    expect(of("{}").private.connect.key).toBe(of('{ private: ["127.0.0.1:5432"] }', []).private.connect.key)
    expect(of('{ private: ["[::1]:80"] }').private.connect.key).toBe(own.authority.scopes.private.connect.key)
    expect(of("{}").network.get.key).toBe(of("{}", []).network.get.key)
    expect(
      Either.isLeft(
        Personality.parse(
          { config: { file: "config.yaml", text: "id: p" } },
          { ...places, privateHosts: ["*:5432"] }
        )
      )
    ).toBe(true)
  })

  it("[H14, Y19] another text is another revision, and the same text the same", () => {
    const revision = (text: string) => Personality.policy(read(text)).revision
    expect(revision(reach("/a"))).toBe(revision(reach("/a")))
    expect(revision(reach("/a"))).not.toBe(revision(reach("/b")))
    expect(revision("id: p\ntoolset: []")).not.toBe(revision("id: p"))
  })
})

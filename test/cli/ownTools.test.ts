/** A team's own tools beside the built-in ones: what each command makes of them, and of modules that are wrong. */
import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import { Files, Tool } from "bailiwick"
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { tool, Workspace } from "./ownModules.js"
import { Folder } from "./workspace.js"

const hello = tool("hello")

const fetcher = Tool.make({
  name: "fetcher",
  description: "Fetches",
  parameters: Schema.Struct({}),
  capabilities: { network: { allowedHosts: ["api.example.com"] } },
  execute: () => Effect.succeed("fetched")
})

describe("a tool under tools:", () => {
  it("is called like a built-in one", async () => {
    const space = new Workspace({ "tools/index.js": { hello } })
    const { code, stderr, stdout } = await space.turn(["hello", "list_attachments"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const { results } = JSON.parse(stdout)
    expect(results.map(({ result }: { result: unknown }) => result)).toMatchObject([
      { ok: true, value: "done" },
      { ok: true }
    ])
  })

  it("is an export, the default, or in a list of tools, and counts once", async () => {
    const [listed, alone] = [tool("listed"), tool("alone")]
    const space = new Workspace({
      "a.mjs": { default: hello, hello, more: [listed, hello], text: "x", nothing: undefined, f: () => 1 },
      "b.js": { alone, list: [] }
    })
    const { stdout } = await space.bailiwick(["tools", "list", "--json"])
    const names = JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)
    expect(names.slice(-3)).toEqual(["hello", "listed", "alone"])
    expect(names).toContain("read_file")
  })

  it("is explained, listed for a personality, and no strange name in a toolset", async () => {
    const space = new Workspace({ "tools.js": { hello } })
    space.personality("toolset: [hello]")
    const { stdout } = await space.bailiwick(["tools", "list", "--personality", "personality", "--json"])
    expect(JSON.parse(stdout).tools).toMatchObject([{ name: "hello", description: "What hello does" }])
    const explained = await space.bailiwick(["explain", "-", "--personality", "personality"], {
      stdin: '[{ "id": "1", "name": "hello", "args": {} }]'
    })
    expect(explained).toMatchObject({ code: 0, stderr: "" })
  })

  it("is explained with what it may ask for, where only running it tells what it does", async () => {
    const space = new Workspace({ "tools.js": { hello, fetcher } })
    space.personality("safety: { network: { allow: [api.example.com] } }")
    const stdin = JSON.stringify(["hello", "fetcher"].map((name) => ({ id: name, name, args: {} })))
    const { stdout } = await space.bailiwick(["explain", "-", "--personality", "personality"], { stdin })
    expect(stdout).toContain("✓ hello\n  would run, and may touch nothing\n")
    expect(stdout).toContain(
      "✓ fetcher\n  would run; what it asks for is decided then\n  may     GET from api.example.com\n"
    )
  })

  it("is listed with the grants that it needs, each of them", async () => {
    const sender = Tool.make({
      name: "sender",
      description: "Sends",
      parameters: Schema.Struct({}),
      capabilities: {
        network: { allowedHosts: ["mail.example.com"] },
        secrets: ["mail/key"],
        storage: { scope: "tool-private", kind: "kv" }
      },
      execute: () => Effect.succeed("sent")
    })
    const writer = Tool.make({
      name: "writer",
      description: "Writes notes",
      parameters: Schema.Struct({}),
      capabilities: {
        records: { verbs: ["create"], classes: ["note"] },
        fs_reach: { write: "from-personality" }
      },
      execute: () => Effect.succeed("written")
    })
    const space = new Workspace({ "tools.js": { sender, writer } })
    space.write("records/agents/scout.md", "---\nclass: agent\naccess: r\n---\nYou scout.\n")
    const list = ["tools", "list", "--agent", "scout"]
    const grants = [
      "net.get{hosts=[mail.example.com]}",
      "secrets.read{refs=[mail/key]}",
      "storage.use{scopes=[tool-private]}"
    ]
    const { stdout } = await space.bailiwick(list)
    expect(stdout).toContain(`- sender\n  needs ${grants.join(" and ")}\n`)
    // That the agent reads records is nothing to a tool that writes them.
    expect(stdout).toContain("- writer\n  needs fs.write{in=~/project} and records.create{classes=[note]}\n")
    expect(stdout).toContain("- create_record\n  needs records.create or agent.create\n")
    expect(stdout).toContain("- web_fetch\n  needs net.get{hosts=[api.example.com]}\n")
    const json = await space.bailiwick([...list, "--json"])
    expect(JSON.parse(json.stdout).missing).toContainEqual(
      expect.objectContaining({ name: "sender", grants, all: true })
    )
  })

  it("is known to skills, with what it needs", async () => {
    const space = new Workspace({ "tools.js": { hello, fetcher } })
    space.write(
      "skills/s.md",
      "---\nname: s\ndescription: d\nallowed-tools: hello fetcher hello(x) other\n---\nDo it.\n"
    )
    space.write("records/agents/scout.md", "---\nclass: agent\naccess: r\n---\nYou scout.\n")
    const { stdout } = await space.bailiwick(["skills", "check", "s", "--agent", "scout", "--json"])
    expect(JSON.parse(stdout).skills).toMatchObject([
      {
        satisfied: [{ token: "hello" }],
        missing: [{ token: "fetcher", grant: "net.get{hosts=[api.example.com]}" }],
        unknown: [{ token: "hello(x)", detail: "hello takes no scope, and has 'x'" }, { token: "other" }]
      }
    ])
    const shown = await space.bailiwick(["skills", "show", "s"])
    expect(shown.stdout).toContain("needs some net.get{hosts=[api.example.com]}")
    const { stdout: examined } = await space.bailiwick(["doctor", "--json"])
    const unknown = JSON.parse(examined).findings.filter(
      ({ code }: { code: string }) => code === "TOOL_UNKNOWN"
    )
    expect(unknown).toHaveLength(1)
  })

  it("is listed where there is neither a home nor a place for state", async () => {
    const folder = new Folder()
    const { code } = await folder.bailiwick(["tools", "list"], {
      home: undefined,
      env: { XDG_STATE_HOME: "" }
    })
    expect(code).toBe(0)
  })

  it("is loaded by no help, no completion, and no command about agents", async () => {
    const space = new Workspace({ "tools.js": { hello } })
    for (const args of [
      ["__complete", "--", "run", "--personality", ""],
      ["__complete", "--", "tools", "l"],
      ["completion", "bash"],
      ["agents", "list"]
    ]) {
      expect((await space.bailiwick(args)).code).toBe(0)
    }
    expect(space.loaded).toEqual([])
  })
})

describe("bailiwick.yaml", () => {
  it.each([
    ["tools: ./tools.js", "VALUE_INVALID", "'tools' is no list"],
    ["tools: ['weather tools']", "VALUE_INVALID", "is neither a file nor the name of a package"],
    ["tools: ['@team/../tools']", "VALUE_INVALID", "is neither a file nor the name of a package"],
    ["tools: ['tools/../../etc']", "VALUE_INVALID", "is neither a file nor the name of a package"],
    ["tools: ['node:fs']", "VALUE_INVALID", "is neither a file nor the name of a package"],
    ["tools: [fs/promises]", "VALUE_INVALID", "is neither a file nor the name of a package"],
    [
      "tools: [{ module: weather-tools, isolated: false }]",
      "VALUE_INVALID",
      "the tools of a package run isolated or not at all; delete 'isolated: false'"
    ],
    ["tools: [tools/index.js]", "VALUE_INVALID", "does not say where it starts; write './tools/index.js'"],
    ["tools: [./node_modules/x/index.js]", "VALUE_INVALID", "is a file of a package"],
    ["tools: [{ module: ./a.js, per: turn }]", "VALUE_INVALID", "write 'isolated: true' beside them"],
    ["tools: [{ module: ./a.js, isolated: true, per: day }]", "VALUE_INVALID", "neither 'call' nor 'turn'"],
    ["tools: [{ module: ./a.js, isolated: true, spares: 99 }]", "VALUE_INVALID", "from 0 to 16"],
    ["tools: [weather-tools, weather-tools]", "VALUE_INVALID", "twice"],
    ["tools: [{ module: ./a.js, isolated: maybe }]", "VALUE_INVALID", "'isolated' is neither true nor false"],
    ["tools: [{ modul: ./a.js }]", "KEY_UNKNOWN", "write 'module'"],
    ["tools: [{ isolated: false }]", "KEY_MISSING", "names no 'module'"],
    ["tools: [./a.cjs]", "VALUE_INVALID", "'./a.cjs' is no module that is loaded here"],
    ["tools: [./a.json]", "VALUE_INVALID", "name a file that ends in .js, .mjs, .ts or .mts"],
    ["tools: [./tools]", "VALUE_INVALID", "is no module"],
    ["tools: [../a.js]", "PATH_INVALID", ".."],
    ["tools: [7]", "VALUE_INVALID", "where a string belongs"],
    ["tools: [./a.js, ./a.js]", "VALUE_INVALID", "twice"],
    ["tool: [./a.js]", "KEY_UNKNOWN", "write 'tools'"]
  ])("refuses %s with its place", async (text, code, words) => {
    const space = new Workspace({})
    space.write("bailiwick.yaml", text)
    const { code: exit, stderr } = await space.bailiwick(["tools", "list"])
    expect(exit).toBe(2)
    expect(stderr).toMatch(new RegExp(`^bailiwick: ${code}: .*bailiwick.yaml:1:\\d+ `))
    expect(stderr).toContain(words)
    expect(space.loaded).toEqual([])
  })

  it("takes a module that is not isolated as one that is named alone", async () => {
    const space = new Workspace({ "a.js": { hello } })
    space.write("bailiwick.yaml", "tools: [{ module: ./a.js, isolated: false }]")
    expect((await space.turn(["hello"])).code).toBe(0)
  })
})

const foreign = { ...hello }

describe("a module that is wrong gets one sentence with its file", () => {
  const refused = async (space: Workspace): Promise<string> => {
    const { code, stderr, stdout } = await space.turn(["hello"])
    expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 2, stdout: "", lines: 2 })
    expect(stderr).toContain(space.root)
    return stderr
  }

  it.each([
    [
      "throws",
      () => {
        throw new TypeError("boom\n  at x")
      },
      "could not be loaded: TypeError: boom\n"
    ],
    [
      "throws what is no error",
      () => {
        throw {
          toString: () => {
            throw new Error("x")
          }
        }
      },
      "it threw what is no error"
    ],
    ["exports no tool", () => ({ a: 1 }), "exports no tool"],
    [
      "exports a copy of a tool",
      () => ({ foreign }),
      "exports 'foreign', a tool that another copy or version of bailiwick made"
    ],
    [
      "lists a copy of a tool",
      () => ({ all: [hello, foreign] }),
      "exports 'all[1]', a tool that another copy"
    ],
    ["lists a tool and something else", () => ({ all: [hello, 1] }), "holds something else at 1"],
    ["exports a layer that is none", () => ({ hello, layer: {} }), "exports 'layer', which is no Layer"],
    [
      "exports an object that throws when it is looked at",
      () => ({
        trap: new Proxy(
          {},
          {
            get: () => {
              throw new Error("x")
            },
            getPrototypeOf: () => {
              throw new Error("x")
            }
          }
        )
      }),
      "exports no tool"
    ]
  ] as const)("because it %s", async (_why, exports, words) => {
    expect(await refused(new Workspace({ "tools/a.js": exports as never }))).toContain(words)
  })

  it("because it is not there, a directory, or leads out of the workspace", async () => {
    const outside = new Folder({ "x.js": "" })
    const space = new Workspace({ "a.js": { hello } })
    rmSync(space.path("a.js"))
    expect(await refused(space)).toContain("is not there")
    mkdirSync(space.path("a.js"))
    expect(await refused(space)).toContain("is not a regular file")
    rmSync(space.path("a.js"), { recursive: true })
    symlinkSync(outside.path("x.js"), space.path("a.js"))
    expect(await refused(space)).toContain("leads out of the workspace")
    rmSync(space.path("a.js"))
    space.write("node_modules/p/x.js", "")
    symlinkSync(space.path("node_modules/p/x.js"), space.path("a.js"))
    expect(await refused(space)).toContain("leads into a package")
    expect(space.loaded).toEqual([])
  })

  it("because a name is taken, or looks like one that is: both places are named", async () => {
    const twice = new Workspace({ "a.js": { one: hello }, "b.js": { two: tool("hello") } })
    expect(await refused(twice)).toContain(
      `${twice.path("b.js")}: the tool hello (two) has a name that is taken, or looks like one that is: hello, one of ${twice.path("a.js")}`
    )
    const built = await refused(new Workspace({ "a.js": { mine: tool("Read-File") } }))
    expect(built).toContain("the tool Read-File (mine)")
    expect(built).toContain("the built-in tool read_file")
  })

  it("because it is TypeScript, and nothing here reads that", async () => {
    if (Reflect.get(process.features, "typescript")) return
    expect(await refused(new Workspace({ "a.ts": { hello } }))).toContain("run: npm i -D tsx")
  })

  it("and what it says shows no secret of the environment", async () => {
    const space = new Workspace({
      "a.js": () => {
        throw new Error(
          "cannot connect to postgres://u:hunter22@db with ghp_0123456789abcdefghijklmnopqrstuvwxyz"
        )
      }
    })
    const { stderr } = await space.turn(["hello"], { env: { DATABASE_URL: "postgres://u:hunter22@db" } })
    expect(stderr).not.toContain("hunter22")
    expect(stderr).not.toContain("ghp_0123")
  })

  it("and the doctor names it, and goes on", async () => {
    const space = new Workspace({ "good.js": { hello }, "bad.js": { a: 1 } })
    const { code, stdout } = await space.bailiwick(["doctor", "--json"])
    expect(code).toBe(0)
    const { findings } = JSON.parse(stdout)
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: "failure",
        check: "tools",
        code: "TOOLS_NOT_LOADED",
        subject: "bad.js",
        file: space.path("bailiwick.yaml"),
        line: 1,
        detail: "it is named under 'tools', and exports no tool"
      })
    )
  })
})

describe("the doctor", () => {
  const files = (space: Workspace): void => {
    space.write("personalities/p/config.yaml", "id: p\n")
    space.write("personalities/p/toolset.yaml", "- hello\n- other\n")
    space.write("skills/s.md", "---\nname: s\ndescription: d\nallowed-tools: other\n---\nDo it.\n")
  }
  const found = async (space: Workspace) => {
    const { stdout } = await space.bailiwick(["doctor", "--json"])
    const { findings, passed } = JSON.parse(stdout)
    const own = findings.filter(({ code }: { code: string }) => code.startsWith("TOOL"))
    return { findings: own, passed: passed.map(({ check }: { check: string }) => check) }
  }

  it("names a module that cannot be loaded, and not each name that may be one of its tools", async () => {
    const space = new Workspace({ "good.js": { hello }, "bad.js": { a: 1 } })
    files(space)
    const { findings, passed } = await found(space)
    expect(findings).toMatchObject([{ code: "TOOLS_NOT_LOADED" }])
    expect(passed).not.toContain("toolsets")
  })

  it("names the file in which the toolset stands", async () => {
    const space = new Workspace({ "good.js": { hello } })
    files(space)
    const { findings } = await found(space)
    expect(findings).toMatchObject([
      { code: "TOOL_UNKNOWN", file: space.path("personalities/p/toolset.yaml") },
      { code: "TOOL_UNKNOWN", file: space.path("skills/s.md") }
    ])
  })
})

describe("a program that has the library to itself", () => {
  const alone = { load: undefined, version: "0.1.0" }

  it("says how to install what loads tools, and the doctor finds the same", async () => {
    const space = new Workspace({ "a.js": { hello } })
    const { code, stderr } = await space.turn(["hello"], alone)
    expect(code).toBe(2)
    expect(stderr).toBe(
      `bailiwick: ${space.path("bailiwick.yaml")} names tools of its own, and bailiwick is not installed beside them; in the workspace, run: npm i bailiwick effect@3\n`
    )
    const { stdout } = await space.bailiwick(["doctor", "--json"], alone)
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({
        code: "TOOLS_NOT_LOADED",
        remedy: "in the workspace, run: npm i bailiwick effect@3"
      })
    )
  })

  it("does not ask to add what a package.json asks for already", async () => {
    const space = new Workspace({ "a.js": { hello } })
    space.write("package.json", { dependencies: { bailiwick: "^0.1.0" } })
    expect((await space.turn(["hello"], alone)).stderr).toMatch(/; in the workspace, run: npm install\n$/)
  })

  it.each([
    ["1.0.0", "has bailiwick 1.0.0 installed, which does not fit 0.1.0"],
    ["0.0.1", "its bailiwick 0.0.1 in "]
  ])("refuses an installation of version %s", async (version, words) => {
    const space = new Workspace({ "a.js": { hello } })
    space.write("node_modules/bailiwick/package.json", { name: "bailiwick", version })
    const { code, stderr } = await space.turn(["hello"], alone)
    expect(code).toBe(2)
    expect(stderr).toContain(words)
  })

  it("hands over to one that fits", async () => {
    const space = new Workspace({ "a.js": { hello } })
    space.write("node_modules/bailiwick/package.json", { name: "bailiwick", version: "0.9.0" })
    const program = space.write("node_modules/bailiwick/dist/cli/program.js", "")
    await expect(space.turn(["hello"], alone)).rejects.toMatchObject({ program })
  })

  it("runs a workspace without tools of its own by itself", async () => {
    const space = new Workspace({})
    expect((await space.turn(["list_attachments"], alone)).code).toBe(0)
  })
})

describe("what an own tool needs", () => {
  const writer = Tool.make({
    name: "writer",
    description: "d",
    parameters: Schema.Struct({}),
    capabilities: { fs_reach: { write: "from-personality" } },
    execute: () => Files.write("/x", "")
  })
  const both = Tool.make({
    name: "both",
    description: "d",
    parameters: Schema.Struct({}),
    capabilities: {
      fs_reach: { read: "from-personality", write: "from-personality" },
      storage: { scope: "session", kind: "kv" },
      attachments: { kinds: ["file"] },
      process: { allowedBinaries: ["git"] }
    },
    execute: () => Effect.void
  })

  it("is what it declares, and not what stands first in the category", async () => {
    const space = new Workspace({ "tools.js": { writer } })
    space.write("records/agents/scout.md", "---\nclass: agent\ncapabilities: []\n---\nYou scout.\n")
    const { stdout } = await space.bailiwick(["tools", "list", "--agent", "scout"])
    expect(stdout).toContain("- writer\n  needs fs.write{in=~/project}\n")
  })

  it("is advised to a skill with the scope that gives something", async () => {
    const space = new Workspace({ "tools.js": { both } })
    space.write(
      "records/agents/scout.md",
      "---\nclass: agent\ncapabilities: []\nsandbox: /w\n---\nYou scout.\n"
    )
    space.write("skills/s.md", "---\nname: s\ndescription: d\nallowed-tools: both\n---\nDo it.\n")
    const { stdout } = await space.bailiwick(["skills", "show", "s"])
    for (const grant of [
      "fs.read",
      "fs.write",
      "storage.use{scopes=[session]}",
      "attachments.read{kinds=[file]}",
      "proc.exec{cmds=[git]}"
    ]) {
      expect(stdout).toContain(grant)
    }
  })
})

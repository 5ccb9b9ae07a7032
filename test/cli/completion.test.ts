/** What may stand where the cursor is: by the words alone, and by the names in a workspace, none of whose code is loaded. */
import { mkdirSync, symlinkSync } from "node:fs"
import { Builtin, Grant, Tool } from "bailiwick"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { builtinTools } from "../../src/cli/completion/builtinTools.js"
import { complete } from "../../src/cli/completion/Complete.js"
import { commandNames, formOf, isCommand } from "../../src/cli/Forms.js"
import { codePoint } from "../codePoints.js"
import { times } from "../deep.js"
import { Folder } from "./workspace.js"

const words = (...typed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const answer = complete(["--", ...typed])
  return answer.kind === "words" ? answer.words.map(({ word }) => word) : [answer.kind]
}

describe("completion by words", () => {
  it.each([
    [
      [""],
      [
        "init",
        "run",
        "call",
        "explain",
        "runner",
        "audit",
        "suggest",
        "manifest",
        "doctor",
        "completion",
        "tools",
        "agents",
        "skills",
        "mcp",
        "help"
      ]
    ],
    [["d"], ["doctor"]],
    [
      ["agents", "c"],
      ["capabilities", "create"]
    ],
    [["help", "agents", "w"], ["who"]],
    [["help", "sk"], ["skills"]],
    [["--"], ["--workdir", "--json", "--help", "--version"]],
    [
      ["agents", "grant", "scout", "x", "--"],
      ["--workdir", "--yes", "--dry-run", "--json", "--help"]
    ],
    [["agents", "grant", "--yes", "scout", "x", "--y"], []],
    [["doctor", "--s"], ["--strict"]],
    [["audit", ""], ["files"]],
    [["audit", "v"], ["verify"]],
    [["audit", "x"], ["files"]],
    [["audit", "a.jsonl", "v"], ["files"]],
    [
      ["audit", "--s"],
      ["--session", "--since", "--serve"]
    ],
    [["audit", "--serve", ""], ["files"]],
    [["audit", "--html", ""], ["files"]],
    [
      ["audit", "verify", "--"],
      ["--head", "--workdir", "--json", "--help"]
    ],
    [["audit", "verify", ""], []],
    [
      ["audit", "--capability", "network"],
      ["network", "network.get", "network.post", "network.put", "network.delete"]
    ],
    [["audit", "--tool", "web"], ["web_fetch"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"]
    ],
    [["completion", "bash", ""], []],
    [
      ["agents", "who", "net."],
      ["net.get", "net.post", "net.put", "net.delete"]
    ],
    [["agents", "who", "'net.g"], ["net.get"]],
    [["agents", "create", ""], []],
    [["agents", "create", "new", "records.r"], ["records.read"]],
    [["agents", "grant", ""], ["agents"]],
    [["agents", "grant", "scout", "storage"], ["storage.use"]],
    [
      ["call", "read_"],
      ["read_file", "read_attachment"]
    ],
    [
      ["call", "read_file", ""],
      ["path=", "offset=", "limit=", "encoding="]
    ],
    [
      ["call", "read_file", "path=a", "--agent", "x", ""],
      ["offset=", "limit=", "encoding="]
    ],
    [["call", "read_file", "path", "=", "a", "l"], ["limit="]],
    [["call", "read_file", "path", "=", "l"], []],
    [["call", "read_file", "path", "="], []],
    [["call", "read_file", "path=l"], []],
    [["call", "toString", ""], []],
    [["call", "read_file", "--age"], ["--agent"]],
    [["call", "--agent", "=", "x", "kv_g"], ["kv_get"]],
    [["run", ""], ["files"]],
    [["run", "calls.json", "--agent", ""], ["agents"]],
    [["run", "calls.json", "--agent=sc"], ["agents"]],
    [["run", "calls.json", "--personality", ""], ["personalities"]],
    [["run", "calls.json", "--attachments", ""], ["files"]],
    [["run", "calls.json", "--session", ""], []],
    [["agents", "--workdir", ""], ["directories"]],
    [["skills", "show", ""], ["skills"]],
    [["run", "--", "--"], ["files"]],
    [["nothing", ""], []],
    [["nothing", "more", ""], []]
  ])("%j: %j", (typed, expected) => {
    expect(words(...typed)).toEqual(expected)
  })

  it("every command, its words, options and flags are completed, and every grant of the catalog", () => {
    for (const name of commandNames.filter(isCommand)) {
      const parts = name.split(" ")
      const before = parts.slice(0, -1)
      // Where files may stand as well, a command is offered to who has begun to type it.
      const typed = isCommand(before.join(" ")) ? parts.at(-1)?.slice(0, 1) : ""
      expect(words(...before, typed ?? "")).toContain(parts.at(-1))
      const { flags, options } = formOf(name)
      for (const option of [...flags, ...options, "json", "workdir"]) {
        expect(words(...parts, "--")).toContain(`--${option}`)
      }
    }
    expect(words("agents", "who", "")).toEqual(Grant.catalog.map(({ name }) => name))
  })

  it("the built-in tools are those that there are, with what they take", () => {
    const taken = Builtin.builtins.map((tool) => [
      tool.name,
      Object.keys(Object(Tool.jsonSchema(tool)).properties)
    ])
    expect([...builtinTools]).toEqual(taken)
  })

  it("bash cuts words at equals signs, and gets what follows them", () => {
    expect(complete(["--", "run", "x", "--agent", "=", "sc"])).toEqual({
      kind: "agents",
      typed: "sc",
      before: "",
      workdir: undefined
    })
    expect(complete(["--", "run", "x", "--agent", "="])).toMatchObject({
      kind: "agents",
      typed: "",
      before: ""
    })
    expect(complete(["--", "run", "x", "--agent=sc"])).toMatchObject({ typed: "sc", before: "--agent=" })
    expect(complete(["--", "run", "--workdir", "=", "w", "x", "--agent", "sc"])).toMatchObject({
      kind: "agents",
      workdir: "w"
    })
  })

  it("whatever is typed has an answer", () => {
    const word = fc.oneof(
      fc.constantFrom("agents", "grant", "--agent", "=", "--", "-", "--workdir=x", "help", "'", "run"),
      fc.string({ unit: codePoint, maxLength: 6 })
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (typed) => {
        expect(complete(typed)).toHaveProperty("kind")
      }),
      { numRuns: times(500) }
    )
  })
})

const AGENT = "---\nclass: agent\ncapabilities: []\n---\n"

describe("completion by a workspace", () => {
  const asked = async (folder: Folder, ...typed: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await folder.bailiwick(["__complete", "--", ...typed])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const [kind, ...lines] = stdout.trimEnd().split("\n")
    expect(kind).toBe("words")
    return lines.map((line) => line.split("\t")[0])
  }

  const workspace = () =>
    new Folder({
      "bailiwick.yaml": "",
      "records/agents/scout.md": AGENT,
      "records/agents/scribe.md": AGENT,
      "records/agents/log.md": "---\nclass: note\n---\n",
      "records/notes/scout-log.md": "class: agent",
      "personalities/writer/config.yaml": "id: writer\n",
      "personalities/reader.yaml": "id: reader\n",
      "skills/tidy.md": "---\nname: tidy\ndescription: x\n---\nBody\n"
    })

  it.each([
    [
      ["agents", "grant", ""],
      ["agents/scout", "agents/scribe"]
    ],
    [["agents", "grant", "agents/sco"], ["agents/scout"]],
    [["agents", "grant", "scr"], ["scribe"]],
    [["agents", "grant", "zzz"], []],
    [["run", "x", "--agent", "sco"], ["scout"]],
    [["run", "x", "--agent=sco"], ["--agent=scout"]],
    [["run", "x", "--agent", "=", "sco"], ["scout"]],
    [
      ["run", "x", "--personality", ""],
      ["reader", "writer"]
    ],
    [["skills", "show", "t"], ["tidy"]]
  ])("%j: %j", async (typed, expected) => {
    expect(await asked(workspace(), ...typed)).toEqual(expected)
  })

  it("looks where --workdir says", async () => {
    const folder = workspace()
    mkdirSync(folder.path("elsewhere"))
    const { stdout } = await folder.bailiwick(
      ["__complete", "--", "agents", "--workdir", folder.root, "capabilities", "sco"],
      { cwd: "/" }
    )
    expect(stdout).toBe("words\nscout\t\n")
  })

  it("a name that a shell would read in its own way is not given out, nor is a link", async () => {
    const folder = new Folder({ "bailiwick.yaml": "" })
    for (const name of [
      "$(touch x)",
      "`id`",
      "a;b",
      "a b",
      "a'b",
      'a"b',
      "a\\b",
      "a|b",
      "a&b",
      "a>b",
      "-rf",
      "a\tb",
      "a*",
      "~a",
      "a{b",
      "a\u202eb",
      "é-ok"
    ]) {
      folder.write(`records/agents/${name}.md`, AGENT)
    }
    symlinkSync("/etc/hostname", folder.path("records/agents/link.md"))
    expect(await asked(folder, "agents", "grant", "agents/")).toEqual(["agents/-rf", "agents/é-ok"])
    expect(await asked(folder, "agents", "grant", "-")).not.toContain("-rf")
  })

  it("what is broken is no answer, and no sentence either", async () => {
    const broken = new Folder({ "bailiwick.yaml": "no: [such: key" })
    expect(await asked(broken, "agents", "grant", "")).toEqual([])
    expect(await asked(new Folder(), "agents", "grant", "")).toEqual([])
    expect(await asked(new Folder(), "agents", "--workdir", "/nowhere", "capabilities", "")).toEqual([])
  })
})

describe("the scripts", () => {
  it.each(["bash", "zsh", "fish"])(
    "for %s are printed, and are one JSON document with --json",
    async (shell) => {
      const folder = new Folder()
      const { code, stdout } = await folder.bailiwick(["completion", shell])
      expect(code).toBe(0)
      expect(stdout).toContain("__complete --")
      // Nothing that comes back is evaluated.
      expect(stdout).not.toMatch(/\beval\b|compgen -W/)
      const document = JSON.parse((await folder.bailiwick(["completion", shell, "--json"])).stdout)
      expect(document).toEqual({ shell, script: stdout })
    }
  )
})

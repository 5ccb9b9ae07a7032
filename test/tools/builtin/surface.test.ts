import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { builtins } from "../../../src/tools/builtin/index.js"
import * as Tool from "../../../src/tools/Tool.js"

const READ = { read: "from-personality" }
const WRITE = { write: "from-personality" }
const SESSION = { storage: { scope: "session", kind: "kv" } }
const RECORDS_READ = { records: { verbs: ["read"] } }
const ATTACHED = { attachments: { kinds: "*" } }
const RUN = {
  process: { allowedBinaries: ["*"] },
  network: { allowedHosts: ["*"], for: "children" },
  fs_reach: { ...READ, ...WRITE }
}

/** Names, arguments (a `?` marks those that may be left out) and declarations, as they are promised. */
const promised = {
  read_file: [["path", "offset?", "limit?", "encoding?"], { fs_reach: READ, ...ATTACHED }],
  write_file: [["path", "content", "encoding?"], { fs_reach: WRITE }],
  delete_file: [["path"], { fs_reach: WRITE }],
  list_files: [["path", "recursive?"], { fs_reach: READ }],
  search_files: [["path", "pattern", "glob?"], { fs_reach: READ }],
  web_fetch: [["url", "method?", "headers?", "body?", "as?"], { network: { allowedHosts: ["*"] } }],
  run_command: [["command", "args?", "cwd?", "env?", "stdin?", "timeoutMs?"], RUN],
  run_shell: [["script", "cwd?", "timeoutMs?"], RUN],
  kv_get: [["key"], SESSION],
  kv_set: [["key", "value", "ttlSeconds?"], SESSION],
  kv_delete: [["key"], SESSION],
  kv_list: [["prefix?"], SESSION],
  list_attachments: [[], ATTACHED],
  read_attachment: [["ref", "encoding?"], ATTACHED],
  search_records: [["query", "class?", "limit?"], RECORDS_READ],
  get_record: [["id"], RECORDS_READ],
  list_records: [["class?", "tag?"], RECORDS_READ],
  create_record: [
    ["id", "class?", "frontMatter?", "body?"],
    { records: { verbs: ["create"] }, agents: { verbs: ["create", "grant"] } }
  ],
  update_record: [
    ["id", "frontMatter?", "body?", "revision?"],
    { records: { verbs: ["update", "create"] }, agents: { verbs: ["create", "update", "delete", "grant"] } }
  ],
  delete_record: [["id"], { records: { verbs: ["delete"] }, agents: { verbs: ["delete"] } }],
  grant_capability: [["agent", "grants"], { agents: { verbs: ["grant"] } }]
}

const argumentsOf = (tool: Tool.Any): ReadonlyArray<string> => {
  const { properties = {}, required = [] } = Tool.jsonSchema(tool) as {
    readonly properties?: Readonly<Record<string, unknown>>
    readonly required?: ReadonlyArray<string>
  }
  return Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`))
}

describe("the built-in tools", () => {
  it("have the names, arguments and declarations that are promised", () => {
    expect(
      Object.fromEntries(builtins.map((tool) => [tool.name, [argumentsOf(tool), tool.capabilities]]))
    ).toEqual(promised)
  })

  it("tell a model what each argument is", () => {
    for (const tool of builtins) {
      const { properties = {} } = Tool.jsonSchema(tool) as {
        readonly properties?: Readonly<Record<string, { readonly description?: string }>>
      }
      for (const [name, { description = "" }] of Object.entries(properties)) {
        expect([tool.name, name, description.length > 10]).toEqual([tool.name, name, true])
      }
    }
  })

  it("change nothing where they say so, and only there", () => {
    expect(builtins.filter(({ readOnly }) => readOnly).map(({ name }) => name)).toEqual([
      "read_file",
      "list_files",
      "search_files",
      "kv_get",
      "kv_list",
      "list_attachments",
      "read_attachment",
      "search_records",
      "get_record",
      "list_records"
    ])
  })

  it("mark as untrusted whatever strangers may have written", () => {
    const trusted = builtins.filter(({ outputIsUntrusted }) => !outputIsUntrusted).map(({ name }) => name)
    expect(trusted).toEqual([
      "write_file",
      "delete_file",
      "kv_set",
      "kv_delete",
      "create_record",
      "delete_record",
      "grant_capability"
    ])
  })

  it("say what a call will ask for", () => {
    const asked = (name: string, args: unknown): unknown => {
      const tool: Tool.Any | undefined = builtins.find((one) => one.name === name)
      return tool?.asks?.(args)
    }
    expect(asked("read_file", { path: "a" })).toMatchObject([{ _tag: "File", action: "read", path: "a" }])
    expect(asked("read_file", { path: "att-1" })).toMatchObject([{ _tag: "Attachment", ref: "att-1" }])
    expect(asked("write_file", { path: "a" })).toMatchObject([{ _tag: "File", action: "write", path: "a" }])
    expect(asked("delete_file", { path: "a" })).toMatchObject([{ _tag: "File", action: "delete" }])
    expect(asked("web_fetch", { url: "https://a.com/" })).toMatchObject([
      { _tag: "Http", method: "GET", url: "https://a.com/" }
    ])
    expect(asked("web_fetch", { url: "https://a.com/", method: "put" })).toMatchObject([{ method: "put" }])
    expect(asked("run_command", { command: "git", args: ["log"], cwd: "/w" })).toMatchObject([
      { _tag: "Exec", argv: ["git", "log"], cwd: "/w" }
    ])
    expect(asked("run_shell", { script: "x", cwd: "/w" })).toMatchObject([{ _tag: "Shell", cwd: "/w" }])
    expect(asked("kv_get", { key: "k" })).toMatchObject([{ _tag: "Storage" }])
    expect(asked("read_attachment", { ref: "att-0" })).toMatchObject([{ _tag: "Attachment", ref: "att-0" }])
  })

  it.effect("I25: refuse arguments that are not theirs", () =>
    Effect.gen(function* () {
      const decode = (name: string, args: unknown) => {
        const tool: Tool.Any | undefined = builtins.find((one) => one.name === name)
        return tool === undefined ? Effect.die(name) : Effect.isFailure(Tool.decodeArgs(tool, args))
      }
      for (const [name, args] of [
        ["read_file", { path: "a", encoding: "latin1" }],
        ["read_file", { path: "a", limit: 0 }],
        ["read_file", { path: "a", offset: -1 }],
        ["read_file", { path: "a", offset: 1.5 }],
        ["write_file", { path: "a" }],
        ["web_fetch", { url: "https://a.com/", as: "xml" }],
        ["run_command", { command: "" }],
        ["run_command", { command: "ls", args: "-l" }],
        ["run_command", { command: "ls", timeoutMs: 0 }],
        ["run_shell", { script: " \n" }],
        ["kv_set", { key: "k", value: "v", ttlSeconds: 0 }],
        ["list_attachments", { kind: "image" }],
        ["delete_file", { path: "a", recursive: true }]
      ] as const) {
        expect([name, args, yield* decode(name, args)]).toEqual([name, args, true])
      }
    })
  )
})

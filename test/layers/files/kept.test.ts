/**
 * Threat: what the program itself keeps (store, cache, secrets, records) lies inside what a policy reaches, and comes
 * back through a file tool, under whatever name, or is changed through one.
 */
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Authority, Builtin, Files, Policy, Registry, Tool, Turn } from "bailiwick"
import { AttachmentCache, NodeBackends, NodeFiles, NodeRecords, NodeSecrets } from "bailiwick/node"
import { Effect, Layer, Schema } from "effect"
import { has } from "../../../scripts/lib/system.js"

const registry = Registry.make(...Builtin.builtins)

const SECRET = "sk-not-a-real-one-but-nobodys-business"

const place = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-kept-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const policyFor = (root: string) => {
  const reach = [`${root}/`]
  return Policy.make({
    authority: Schema.decodeSync(Authority.FromJson)({
      files: { read: reach, write: reach, delete: reach },
      process: { exec: [{ argv: "pwd:*", in: `${root}/` }] },
      storage: { use: ["session"] },
      secrets: { read: ["KEY"] },
      attachments: { read: ["file"] }
    })
  })
}

const host = (root: string, { files = NodeFiles.layer() } = {}) => {
  const state = join(root, "state")
  return Layer.mergeAll(
    NodeBackends.layer({
      directory: state,
      secrets: NodeSecrets.layerFirstOf(
        NodeSecrets.layerDotEnv({ file: join(root, "vars.env") }),
        NodeSecrets.layerDirectory({ directory: join(root, "vault") })
      ),
      records: { directory: join(root, "notes") }
    }),
    AttachmentCache.layer({ directory: join(state, "attachments") })
  ).pipe(Layer.merge(files))
}

type Args = Readonly<Record<string, unknown>>

const calling = (root: string, session = "s", attachments: Turn.Turn["attachments"] = []) => {
  const turn = Turn.make({ session, policy: policyFor(root), workdir: root, attachments })
  return (name: string, args: Args) =>
    Effect.map(registry.execute(turn, [{ id: "1", name, args }]), ([one]) => one?.result)
}

const refused = { ok: false, code: "execution_failed", denial: { code: "PATH_NOT_REACHABLE" } }

/** A root that holds all of it, with something in each place. */
const filled = Effect.gen(function* () {
  const root = yield* place
  for (const name of ["vault", "notes/agents", "state/attachments"]) {
    mkdirSync(join(root, name), { recursive: true })
  }
  writeFileSync(join(root, "vars.env"), `KEY=${SECRET}\n`)
  writeFileSync(join(root, "vault/KEY"), SECRET)
  writeFileSync(join(root, "notes/agents/a.md"), "---\nclass: agent\ncapabilities: []\n---\n")
  writeFileSync(join(root, "open.txt"), "open\n")
  return root
})

describe("what a layer keeps", () => {
  it.scoped("is closed to every file tool, though the policy reaches it and the host names nothing", () =>
    Effect.gen(function* () {
      const root = yield* filled
      yield* Effect.gen(function* () {
        const call = calling(root)
        expect(yield* call("kv_set", { key: "k", value: SECRET })).toMatchObject({ ok: true })
        const store = existsSync(join(root, "state/storage/store.db"))
          ? "state/storage/store.db"
          : "state/storage"
        for (const path of [store, "state/storage", "vars.env", "vault", "vault/KEY", "state/attachments"]) {
          for (const [name, args] of [
            ["read_file", { path }],
            ["list_files", { path }],
            ["search_files", { path, pattern: "sk-" }],
            ["write_file", { path, content: "x" }],
            ["write_file", { path: `${path}/new`, content: "x" }],
            ["delete_file", { path }]
          ] as const) {
            const result = yield* call(name, args)
            expect([name, path, result]).toMatchObject([name, path, refused])
            expect(JSON.stringify(result)).not.toContain(SECRET)
          }
        }
        const found = yield* call("search_files", { path: ".", pattern: "sk-not|open" })
        expect(JSON.stringify(found)).toContain("open.txt")
        expect(JSON.stringify(found)).not.toContain(SECRET)
      }).pipe(Effect.provide(host(root)))
      expect(readFileSync(join(root, "vars.env"), "utf8")).toContain(SECRET)
    })
  )

  it.scoped("is closed to files that were wired before it, and after it", () =>
    Effect.gen(function* () {
      const root = yield* filled
      const file = join(root, "later.env")
      writeFileSync(file, `KEY=${SECRET}\n`)
      const files = yield* Layer.build(NodeFiles.layer())
      const read = calling(root)("read_file", { path: "later.env" }).pipe(
        Effect.provide(NodeBackends.layer({ directory: join(root, "elsewhere") })),
        Effect.provide(files)
      )
      expect(yield* read).toMatchObject({ ok: true })
      yield* Effect.scoped(Layer.build(NodeSecrets.layerDotEnv({ file })))
      // The layer is closed again, and what it kept is still there.
      expect(yield* read).toMatchObject(refused)
    })
  )

  it.scoped("[F09, I19] is closed under every other name: links, hard links, other letters", () =>
    Effect.gen(function* () {
      const root = yield* filled
      symlinkSync(join(root, "vars.env"), join(root, "link"))
      symlinkSync(join(root, "vault"), join(root, "folder"))
      linkSync(join(root, "vars.env"), join(root, "hard"))
      linkSync(join(root, "vault/KEY"), join(root, "hard2"))
      linkSync(join(root, "open.txt"), join(root, "innocent"))
      yield* Effect.gen(function* () {
        const call = calling(root)
        for (const path of [
          "link",
          "folder/KEY",
          "hard",
          "hard2",
          "VARS.ENV",
          "Vault/key",
          "vars.e\u200bnv"
        ]) {
          expect([path, yield* call("read_file", { path })]).toMatchObject([path, refused])
        }
        const found = JSON.stringify(yield* call("search_files", { path: ".", pattern: "sk-not" }))
        expect(found).not.toContain(SECRET)
        expect(yield* call("read_file", { path: "innocent" })).toMatchObject({ ok: true })
      }).pipe(Effect.provide(host(root)))
    })
  )

  it.scoped("is closed by the path that a link to it leads to", () =>
    Effect.gen(function* () {
      const root = yield* filled
      symlinkSync(join(root, "vault"), join(root, "given"))
      const layer = Layer.merge(
        NodeBackends.layer({ directory: join(root, "elsewhere") }),
        NodeSecrets.layerDirectory({ directory: join(root, "given") })
      )
      const read = calling(root)("read_file", { path: "vault/KEY" })
      expect(yield* Effect.provide(read, layer)).toMatchObject(refused)
    })
  )

  it.scoped("is closed with every link on the way to it, and what else is reached over one stays open", () =>
    Effect.gen(function* () {
      const root = yield* filled
      mkdirSync(join(root, "conf"))
      mkdirSync(join(root, "deep"))
      writeFileSync(join(root, "deep/env"), `KEY=${SECRET}\n`)
      symlinkSync("../deep/env", join(root, "conf/mid"))
      symlinkSync("conf/mid", join(root, "my.env"))
      symlinkSync("vault", join(root, "second"))
      symlinkSync("second", join(root, "first"))
      mkdirSync(join(root, "real/vault"), { recursive: true })
      symlinkSync("real", join(root, "over"))
      symlinkSync("not/there", join(root, "dangling"))
      const keep = NodeSecrets.layerFirstOf(
        NodeSecrets.layerDotEnv({ file: join(root, "my.env") }),
        NodeSecrets.layerDirectory({ directory: join(root, "first") }),
        NodeSecrets.layerDirectory({ directory: join(root, "over/vault") }),
        NodeSecrets.layerDirectory({ directory: join(root, "dangling") })
      )
      yield* Effect.gen(function* () {
        const call = calling(root)
        for (const path of ["conf/mid", "my.env", "second", "first", "over", "dangling", "not/there"]) {
          expect([path, yield* call("delete_file", { path })]).toMatchObject([path, { ok: false }])
          expect([path, yield* call("write_file", { path, content: "KEY=x" })]).toMatchObject([path, refused])
        }
        for (const path of ["conf/mid", "my.env", "second", "first", "over"]) {
          expect([path, yield* call("delete_file", { path })]).toMatchObject([path, refused])
          expect(existsSync(join(root, path))).toBe(true)
        }
        expect(yield* call("write_file", { path: "over/other.txt", content: "x" })).toMatchObject({
          ok: true
        })
        expect(yield* call("write_file", { path: "conf/other", content: "x" })).toMatchObject({ ok: true })
      }).pipe(Effect.provide(Layer.merge(NodeBackends.layer({ directory: join(root, "state") }), keep)))
    })
  )

  it.scoped("is closed under every hard link, however many files there are and however deep they lie", () =>
    Effect.gen(function* () {
      const root = yield* filled
      const names = Array.from({ length: 100 }, (_, at) => `vault/${at % 2 === 0 ? "" : "a/b/"}K${at}`)
      mkdirSync(join(root, "vault/a/b"), { recursive: true })
      for (const [at, name] of names.entries()) {
        writeFileSync(join(root, name), SECRET)
        linkSync(join(root, name), join(root, `hard${at}`))
      }
      linkSync(join(root, "open.txt"), join(root, "innocent"))
      yield* Effect.gen(function* () {
        const call = calling(root)
        for (const at of names.keys()) {
          expect(yield* call("read_file", { path: `hard${at}` })).toMatchObject(refused)
        }
        expect(yield* call("read_file", { path: "innocent" })).toMatchObject({ ok: true })
        // One that is kept only now, in a directory that has been looked at.
        utimesSync(join(root, "vault"), 1, 1)
        expect(yield* call("read_file", { path: "innocent" })).toMatchObject({ ok: true })
        writeFileSync(join(root, "vault/later"), SECRET)
        linkSync(join(root, "vault/later"), join(root, "hardLater"))
        expect(yield* call("read_file", { path: "hardLater" })).toMatchObject(refused)
      }).pipe(Effect.provide(host(root)))
    })
  )

  it.scoped("of more files than are compared, each with several names may be one", () =>
    Effect.gen(function* () {
      const root = yield* filled
      for (let at = 0; at <= 10_000; at++) writeFileSync(join(root, `vault/${at}`), "")
      linkSync(join(root, "open.txt"), join(root, "innocent"))
      yield* Effect.gen(function* () {
        const call = calling(root)
        expect(yield* call("read_file", { path: "innocent" })).toMatchObject(refused)
        expect(yield* call("read_file", { path: "notes/agents/a.md" })).toMatchObject({ ok: true })
      }).pipe(Effect.provide(host(root)))
    })
  )

  it.scoped("the innermost of places that lie in one another decides", () =>
    Effect.gen(function* () {
      const root = yield* filled
      const directory = join(root, "vault/cache")
      yield* Effect.gen(function* () {
        const cache = yield* AttachmentCache
        const origin = { filename: "a.txt", mimeType: "text/plain", session: "mine" }
        const mine = { ref: "att-0", ...(yield* cache.write(new TextEncoder().encode("milk"), origin)) }
        const call = calling(root, "mine", [mine])
        expect(yield* call("read_file", { path: fileURLToPath(mine.url) })).toMatchObject({ ok: true })
        expect(yield* call("read_file", { path: "vault/KEY" })).toMatchObject(refused)
      }).pipe(Effect.provide(AttachmentCache.layer({ directory })), Effect.provide(host(root)))
    })
  )

  it.scoped("[J4] keeps a directory that holds it from being removed", () =>
    Effect.gen(function* () {
      const root = yield* filled
      const files = yield* Layer.build(host(root))
      const wipe = Tool.make({
        name: "wipe",
        description: "Removes a tree",
        parameters: Schema.Struct({}),
        capabilities: { fs_reach: { write: "from-personality" } },
        execute: () => Files.remove(root, { recursive: true })
      })
      const turn = Turn.make({ session: "s", policy: policyFor(root), workdir: root })
      const [one] = yield* Effect.provide(
        Registry.make(wipe).execute(turn, [{ id: "1", name: "wipe", args: {} }]),
        files
      )
      expect(one?.result).toMatchObject(refused)
      expect(existsSync(join(root, "open.txt"))).toBe(true)
    })
  )

  it.scoped("records are read as files, and changed as records alone", () =>
    Effect.gen(function* () {
      const root = yield* filled
      mkdirSync(join(root, "notes/.trash"))
      writeFileSync(join(root, "notes/.trash/gone.md"), SECRET)
      yield* Effect.gen(function* () {
        const call = calling(root)
        expect(yield* call("read_file", { path: "notes/agents/a.md" })).toMatchObject({ ok: true })
        for (const [name, args] of [
          ["write_file", { path: "notes/agents/a.md", content: "---\naccess: full\n---\n" }],
          ["write_file", { path: "notes/b.md", content: "x" }],
          ["delete_file", { path: "notes/agents/a.md" }],
          ["read_file", { path: "notes/.trash/gone.md" }]
        ] as const) {
          expect([args, yield* call(name, args)]).toMatchObject([args, refused])
        }
      }).pipe(
        Effect.provide(NodeRecords.layer({ directory: join(root, "notes") })),
        Effect.provide(host(root))
      )
    })
  )

  it.scoped.runIf(has("bwrap"))("is no working directory of a command", () =>
    Effect.gen(function* () {
      const root = yield* filled
      yield* Effect.gen(function* () {
        const call = calling(root)
        for (const cwd of ["vault", "state/attachments"]) {
          expect([cwd, yield* call("run_command", { command: "pwd", cwd })]).toMatchObject([
            cwd,
            { ok: false, error: expect.stringContaining("CWD_NOT_REACHABLE") }
          ])
        }
        // Records may be read, so that a search may run there.
        for (const cwd of [".", "notes/agents"]) {
          expect([cwd, yield* call("run_command", { command: "pwd", cwd })]).toMatchObject([
            cwd,
            { ok: true }
          ])
        }
      }).pipe(Effect.provide(host(root)))
    })
  )

  it.scoped("an attachment of the turn is still read, and that of another session is not", () =>
    Effect.gen(function* () {
      const root = yield* filled
      yield* Effect.gen(function* () {
        const cache = yield* AttachmentCache
        const origin = { filename: "a.txt", mimeType: "text/plain" }
        const bytes = new TextEncoder().encode("milk")
        const mine = { ref: "att-0", ...(yield* cache.write(bytes, { ...origin, session: "mine" })) }
        const other = yield* cache.write(bytes, { ...origin, session: "other" })
        const call = calling(root, "mine", [mine])
        expect(yield* call("read_file", { path: "att-0" })).toMatchObject({ ok: true })
        expect(yield* call("read_file", { path: fileURLToPath(mine.url) })).toMatchObject({ ok: true })
        expect(yield* call("write_file", { path: fileURLToPath(mine.url), content: "x" })).toMatchObject(
          refused
        )
        expect(yield* call("read_file", { path: fileURLToPath(other.url) })).toMatchObject(refused)
      }).pipe(Effect.provide(host(root)))
    })
  )
})

describe("what the environment moves", () => {
  it.scoped("histories, credentials and directories of configuration are closed where they are", () =>
    Effect.gen(function* () {
      const root = yield* place
      const moved = {
        HISTFILE: "log/commands",
        KUBECONFIG: `none:${join(root, "clusters/one")}:${join(root, "clusters/two")}`,
        CODEX_HOME: "agents/codex",
        XDG_CONFIG_HOME: "settings",
        XDG_DATA_HOME: "data"
      }
      const closed = [
        "log/commands",
        "clusters/one",
        "clusters/two",
        "agents/codex/auth.json",
        "settings/gh/hosts.yml",
        "settings/gcloud/credentials.db",
        "settings/google-chrome/Default/Cookies",
        "data/keyrings/login.keyring",
        "data/opencode/auth.json"
      ]
      const open = ["log/other", "clusters/three", "settings/app/x.json", "data/app/x"]
      for (const path of [...closed, ...open]) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), SECRET)
      }
      const environment = Object.fromEntries(
        Object.entries(moved).map(([name, path]) => [name, path.includes(":") ? path : join(root, path)])
      )
      yield* Effect.gen(function* () {
        const call = calling(root)
        for (const path of closed) {
          expect([path, yield* call("read_file", { path })]).toMatchObject([path, refused])
        }
        for (const path of open) {
          expect([path, yield* call("read_file", { path })]).toMatchObject([path, { ok: true }])
        }
      }).pipe(
        Effect.provide(
          Layer.merge(NodeBackends.layer({ directory: join(root, "own") }), NodeFiles.layer({ environment }))
        )
      )
    })
  )

  it.scoped("a variable that names everything closes nothing", () =>
    Effect.gen(function* () {
      const root = yield* place
      writeFileSync(join(root, "a"), "a")
      const environment = { CODEX_HOME: "/", DOCKER_CONFIG: homedir(), HISTFILE: "relative", NETRC: "" }
      const read = calling(root)("read_file", { path: "a" })
      const backends = NodeBackends.layer({ directory: join(root, "own"), files: { environment } })
      expect(yield* Effect.provide(read, backends)).toMatchObject({ ok: true })
    })
  )
})

/**
 * A command under a profile, with a program that stands in for sandbox-exec: it keeps the profile that it is given, and runs
 * the command unheld. So this shows how a child is started, and not that anything holds it.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { authority, directory, world } from "../../process/harness.js"
import { read } from "./evaluator.js"

/** What it was given last is in `profile` beside it. */
const standIn = Effect.map(directory, (folder) => {
  const program = join(folder, "sandbox-exec")
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$1" = -p ] && [ "$3" = -- ] || exit 64\nprintf '%s' "$2" > ${folder}/profile\nshift 3\nexec "$@"\n`
  )
  chmodSync(program, 0o755)
  return { program, profile: () => readFileSync(join(folder, "profile"), "utf8") }
})

const fileless = { args: [] as ReadonlyArray<string> }

describe("a command under a profile", () => {
  it.scoped("runs as it would otherwise, with a profile of its plan", () =>
    Effect.gen(function* () {
      const { profile, program } = yield* standIn
      const { backend, operations, root } = yield* world({ sandbox: { seatbelt: program } })
      expect(yield* backend.holding).toEqual({ held: true, by: program })
      mkdirSync(join(root, ".git/hooks"), { recursive: true })
      const ran = yield* operations.spawn({
        binary: "sh",
        args: ["-c", 'printf "%s|" "$@"; exit 3', "x", "a b", ""]
      })
      expect(ran).toMatchObject({ exitCode: 3, stdout: "a b||" })
      const told = read(profile())
      expect(told.permits("file-write-create", `${root}/a`, "last")).toBe(true)
      expect(told.permits("file-write-create", `${root}/.git/hooks/a`, "last")).toBe(false)
      expect(told.permits("file-write-unlink", `${root}/.git`, "last")).toBe(false)
      expect(told.permits("file-read-data", "/home/somebody", "last")).toBe(false)
      expect(profile()).not.toContain("network")
    })
  )

  it.scoped("has a home and a scratch directory of its own, which go with it", () =>
    Effect.gen(function* () {
      const { profile, program } = yield* standIn
      const { operations } = yield* world({ sandbox: { seatbelt: program } })
      const { stdout } = yield* operations.spawn({
        binary: "sh",
        args: ["-c", 'echo "$HOME"; echo "$TMPDIR"; touch "$TMPDIR/x"; ls "$TMPDIR"; ulimit -n']
      })
      const [home = "", tmp = "", made, files] = stdout.split("\n")
      expect([home, made, files]).toEqual([tmp, "x", "4096"])
      expect(read(profile()).permits("file-write-create", `${tmp}/y`, "last")).toBe(true)
      expect(existsSync(tmp)).toBe(false)
    })
  )

  it.scoped(
    "reaches the proxy of its own by a port and a token, and the proxy asks its authority [X14]",
    () =>
      Effect.gen(function* () {
        const { profile, program } = yield* standIn
        const server = yield* Effect.acquireRelease(
          Effect.async<ReturnType<typeof createServer>>((resume) => {
            const made = createServer((_request, response) => void response.end("served"))
            made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
          }),
          (made) => Effect.sync(() => void made.close())
        )
        const { port } = server.address() as AddressInfo
        const { operations } = yield* world({ sandbox: { seatbelt: program } }, (root) =>
          authority({
            process: { exec: [{ argv: "*", in: `${root}/` }] },
            network: { get: ["127.0.0.1"] },
            private: { connect: [`127.0.0.1:${port}`] }
          })
        )
        const script = `
        const [proxy, url] = [new URL(process.env.http_proxy), process.argv[1]]
        const ask = (headers) => new Promise((done) => require("node:http")
          .get({ host: proxy.hostname, port: proxy.port, path: url, headers }, (answer) => {
            let text = ""
            answer.on("data", (part) => { text += part }).on("end", () => done(answer.statusCode + " " + text))
          }))
        const known = "Basic " + Buffer.from(proxy.username + ":" + proxy.password).toString("base64")
        ask({ "proxy-authorization": known }).then(async (first) => {
          console.log(JSON.stringify([proxy.port, first, (await ask({})).slice(0, 3)]))
        })`
        const { stderr, stdout } = yield* operations.spawn({
          binary: "node",
          args: ["-e", script, `http://127.0.0.1:${port}/`]
        })
        expect(stderr).toBe("")
        const [proxy, known, unknown] = JSON.parse(stdout)
        expect([known, unknown]).toEqual(["200 served", "407"])
        expect(profile()).toContain(`(allow network-outbound (remote ip "localhost:${proxy}"))`)
      })
  )

  it.scoped("is swept like every other: what it makes under a name of the floor is taken away", () =>
    Effect.gen(function* () {
      const { program } = yield* standIn
      const quarantine = join(yield* directory, "quarantine")
      const { operations, root } = yield* world({ sandbox: { seatbelt: program, quarantine } })
      const { notes } = yield* operations.spawn({
        binary: "sh",
        args: ["-c", "mkdir -p .vscode && echo '{}' > .vscode/tasks.json"]
      })
      expect(notes?.join()).toContain("tasks.json")
      expect(existsSync(join(root, ".vscode/tasks.json"))).toBe(false)
      expect(readdirSync(quarantine)).not.toEqual([])
    })
  )

  it.scoped("is not started where the policy writes a limit that the system has no way to apply", () =>
    Effect.gen(function* () {
      const { program } = yield* standIn
      const { as } = yield* world({ sandbox: { seatbelt: program } })
      for (const limits of [{ processes: 4 }, { memoryBytes: 1 << 30 }, { tmpBytes: 1 << 20 }]) {
        const refused = yield* Effect.flip(
          as({ sandbox: { mode: undefined, limits } }).spawn({ binary: "true", ...fileless })
        )
        expect(refused).toMatchObject({ code: "LIMIT_EXCEEDED", detail: expect.stringContaining("macOS") })
      }
      const ran = yield* as({ sandbox: { mode: undefined, limits: { openFiles: 64 } } }).spawn({
        binary: "sh",
        args: ["-c", "ulimit -n"]
      })
      expect(ran.stdout).toBe("64\n")
    })
  )

  it.scoped("is not started under a program that is not there or fails, and it is said why", () =>
    Effect.gen(function* () {
      const folder = yield* directory
      const missing = yield* world({ sandbox: { seatbelt: join(folder, "none") } })
      expect(yield* missing.backend.holding).toMatchObject({
        held: false,
        isExpected: true,
        kind: "not_installed"
      })
      const failing = join(folder, "failing")
      writeFileSync(failing, "#!/bin/sh\necho 'sandbox_apply: Operation not permitted' >&2\nexit 71\n")
      chmodSync(failing, 0o755)
      const other = yield* world({ sandbox: { seatbelt: failing } })
      expect(yield* other.backend.holding).toMatchObject({
        held: false,
        kind: "forbidden",
        why: expect.stringContaining("sandbox_apply: Operation not permitted")
      })
      const strict = other.as({ sandbox: { mode: "required", limits: {} } })
      const refused = yield* Effect.flip(strict.spawn({ binary: "true", ...fileless }))
      expect(refused.detail).toContain("must be held by the kernel")
    })
  )
})

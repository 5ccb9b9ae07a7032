/**
 * Children held by `sandbox-exec` of macOS, with a stand-in that records its arguments and holds nobody: what it is handed
 * is read by the evaluator of profiles. Nothing here has run on macOS.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "@effect/vitest"
import { Policy, Process, Registry, Tool, Turn } from "bailiwick"
import { Effect, Fiber, Schema } from "effect"
import * as NodeProcess from "../../../src/layers/node/process/NodeProcess.js"
import { limited } from "../../../src/layers/node/process/shellLimits.js"
import * as Probe from "../../../src/layers/node/sandbox/probe/Probe.js"
import type { Mode } from "../../../src/policy/Sandbox.js"
import { until } from "../../waiting.js"
import { say, statusOf } from "../sandbox/network/fixture.js"
import { type Order, read } from "../sandbox/seatbelt/evaluator.js"
import { authority, directory, ear, messageOf, open, script, sh, sleep, world } from "./harness.js"

/** Around all that is made here, so that nothing else lies in it. */
let around = ""

beforeAll(() => {
  around = mkdtempSync(join(realpathSync(tmpdir()), "profiled-"))
  vi.stubEnv("TMPDIR", around)
})

afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(around, { recursive: true, force: true })
})

/** Writes down the profile that it is given, and executes what comes behind it. */
const RECORDING = `[ "$1" = -p ] && [ "$3" = -- ] || exit 64
printf '%s' "$2" > "$(dirname "$0")/profile.sb"
shift 3
exec "$@"`

const standIn = (text = RECORDING) =>
  Effect.map(directory, (folder) => {
    const seatbelt = script(join(folder, "sandbox-exec"), text)
    const profile = () => {
      const given = read(readFileSync(join(folder, "profile.sb"), "utf8"))
      return (operation: string, about: string): boolean => {
        const [last, narrowest] = (["last", "narrowest"] satisfies Array<Order>).map((order) =>
          given.permits(operation, about, order)
        )
        expect([about, last]).toEqual([about, narrowest])
        return last === true
      }
    }
    return { folder, seatbelt, profile }
  })

const rig = (options: NodeProcess.Options = {}, may: Parameters<typeof world>[1] = open) =>
  Effect.gen(function* () {
    const stand = yield* standIn()
    const made = yield* world(
      {
        ...options,
        sandbox: {
          ...options.sandbox,
          platform: "darwin",
          seatbelt: stand.seatbelt,
          quarantine: `${stand.folder}/q`
        }
      },
      may
    )
    const as = (given: Parameters<typeof made.as>[0] = {}) =>
      made.as({ sandbox: { mode: undefined, limits: {} }, ...given })
    return { ...made, ...stand, as, operations: as() }
  })

const variablesIn = (stdout: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    stdout
      .trim()
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])
  )

describe("a command held by a profile", () => {
  it.scoped("is started under the profile of its plan [S11]", () =>
    Effect.gen(function* () {
      const { operations, profile, root } = yield* rig()
      mkdirSync(join(root, ".git/hooks"), { recursive: true })
      writeFileSync(join(root, ".netrc"), "secret")
      const { exitCode, notes, stdout } = yield* operations.spawn(sh("pwd; exit 3", { cwd: root }))
      expect({ exitCode, notes, stdout }).toEqual({ exitCode: 3, notes: undefined, stdout: `${root}\n` })
      const permits = profile()
      expect(permits("file-write-create", `${root}/new`)).toBe(true)
      expect(permits("file-read-data", `${root}/.netrc`)).toBe(false)
      expect(permits("file-write-create", `${root}/.git/hooks/pre-commit`)).toBe(false)
      expect(permits("file-read-data", `${dirname(root)}/other`)).toBe(false)
      expect(permits("file-read-data", "/etc/shadow")).toBe(false)
      expect(permits("network-outbound", "localhost:80")).toBe(false)
    })
  )

  it.scoped("has a home of its own for the time that it runs, and nobody else's variables", () =>
    Effect.gen(function* () {
      const environment = {
        PATH: process.env.PATH,
        HOME: "/home/me",
        TMPDIR: "/var/tmp",
        LANG: "C",
        TOKEN: "secret"
      }
      const { operations, profile } = yield* rig({ environment })
      const { stdout } = yield* operations.spawn({
        ...sh(
          'env; stat -c "MODE=%a" "$HOME"; mkdir -p "$TMPDIR/a/b"; echo x > "$TMPDIR/a/b/c"; chmod 500 "$TMPDIR/a"'
        ),
        env: { COLOR: "1" }
      })
      const { HOME = "", MODE, TMPDIR, ...rest } = variablesIn(stdout)
      expect([HOME, MODE, rest.LANG, rest.COLOR]).toEqual([TMPDIR, "700", "C", "1"])
      expect(Object.keys(rest).filter((name) => /TOKEN|proxy/i.test(name))).toEqual([])
      const permits = profile()
      expect(permits("file-write-create", `${HOME}/x`)).toBe(true)
      expect(permits("file-write-unlink", HOME)).toBe(false)
      expect(existsSync(HOME)).toBe(false)
      expect(readdirSync(dirname(HOME)).filter((name) => name.startsWith(basename(HOME)))).toEqual([])
    })
  )

  it.scoped("writes to its home where it may only read around it, and not to that of others", () =>
    Effect.gen(function* () {
      const { operations, profile } = yield* rig({}, (root) =>
        authority({
          process: { exec: [{ argv: "*", in: `${root}/` }] },
          files: { read: [`${around}/`] }
        })
      )
      const { stdout } = yield* operations.spawn(sh('printf %s "$HOME"'))
      const permits = profile()
      expect(permits("file-write-create", `${stdout}/x`)).toBe(true)
      expect(permits("file-read-metadata", dirname(stdout))).toBe(true)
      expect(permits("file-read-data", `${dirname(stdout)}/child-other/x`)).toBe(false)
      expect(permits("file-write-create", `${dirname(stdout)}.txt`)).toBe(false)
      expect(permits("file-read-data", `${dirname(stdout)}.txt`)).toBe(true)
    })
  )

  it.scoped("reaches hosts through a proxy that knows it by a token, and nobody else [S14]", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.async<ReturnType<typeof createServer>>((resume) => {
          const made = createServer(
            (request, response) => void response.end(`${request.method} ${request.url}`)
          )
          made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
        }),
        (made) => Effect.sync(() => void made.close())
      )
      const { port } = server.address() as AddressInfo
      const endpoint = `127.0.0.1:${port}`
      const { as, profile, root } = yield* rig({}, (root) =>
        authority({
          process: { exec: [{ argv: "*", in: `${root}/` }] },
          files: { read: [`${root}/`], write: [`${root}/`] },
          network: { get: ["127.0.0.1"] },
          private: { connect: [endpoint] }
        })
      )
      const events: Array<string> = []
      const operations = as({
        observe: (decision, asked) => events.push(`${decision.allowed ? "allowed" : "refused"} ${asked}`)
      })
      const child = yield* Effect.fork(
        operations.spawn(
          sh(
            'printf %s "$http_proxy" > address.part; mv address.part address; while [ ! -e go ]; do sleep 0.01; done'
          )
        )
      )
      yield* until(() => existsSync(join(root, "address")))
      const proxy = new URL(readFileSync(join(root, "address"), "utf8"))
      expect([proxy.hostname, proxy.password.length]).toEqual(["127.0.0.1", 32])
      const ask = (token: string | undefined) => {
        const shown =
          token === undefined
            ? ""
            : `proxy-authorization: Basic ${Buffer.from(`${proxy.username}:${token}`).toString("base64")}\r\n`
        return say(
          Number(proxy.port),
          `GET http://${endpoint}/x HTTP/1.1\r\nhost: ${endpoint}\r\n${shown}connection: close\r\n\r\n`
        )
      }
      expect(statusOf(yield* ask(undefined))).toContain(" 407 ")
      expect(statusOf(yield* ask("guessed"))).toContain(" 407 ")
      events.length = 0
      const answer = yield* ask(proxy.password)
      expect([statusOf(answer), answer.endsWith("GET /x")]).toEqual(["HTTP/1.1 200 OK", true])
      expect(events).toEqual([`allowed GET http://${endpoint}/x`])
      const permits = profile()
      expect(permits("network-outbound", `localhost:${proxy.port}`)).toBe(true)
      expect(permits("network-outbound", `localhost:${port}`)).toBe(false)
      writeFileSync(join(root, "go"), "")
      yield* Fiber.join(child)
      expect(yield* say(Number(proxy.port), "GET / HTTP/1.1\r\n\r\n")).toBe("")
    })
  )

  it.scoped("has the limits that a shell can set, and the result names those that nothing sets", () =>
    Effect.gen(function* () {
      const { as } = yield* rig()
      const asked = sh("ulimit -n; ulimit -f; ulimit -c; ulimit -H -n")
      const plain = yield* as().spawn(asked)
      expect([plain.stdout, plain.notes]).toEqual([`4096\n${1024 * 1024}\n0\n4096\n`, undefined])
      const limits = { openFiles: 99, fileBytes: 10 * 1024, memoryBytes: 2 ** 30, tmpBytes: 2 ** 20 }
      const bounded = as({ sandbox: { mode: "required", limits } })
      const { notes, stdout } = yield* bounded.spawn(asked)
      expect(stdout).toBe("99\n10\n0\n99\n")
      const unset = [
        "its memory was not limited, because macOS has no such limit",
        "the size of its temporary directory was not limited, because macOS has no such limit"
      ]
      expect(notes).toEqual(unset)
      const wrote = yield* bounded.spawn(sh("exec head -c 99999 /dev/zero > big"))
      expect(wrote.notes).toEqual([...unset, "it met the limit of 1 MiB for one file; have it write less"])
    })
  )

  it.scoped.skipIf(process.getuid?.() !== 0)("of root is not started where processes are to be limited", () =>
    Effect.gen(function* () {
      const { as } = yield* rig()
      const limits = { processes: 9 }
      expect(yield* messageOf(as({ sandbox: { mode: undefined, limits } }).spawn(sh("true")))).toContain(
        "exempts root"
      )
    })
  )

  it("counts those of its user who run already among its processes", () => {
    const [, , text] = limited({ openFiles: 9, fileBytes: 4096, processes: 7, others: 100 }, ["/bin/true"])
    expect(text).toContain("limit -u 107; else limit -p 107;")
  })

  it.scoped("is not started where no profile can be made of its plan, and nothing is left of it", () =>
    Effect.gen(function* () {
      const { operations, root } = yield* rig()
      mkdirSync(join(root, "a\nb/.ssh"), { recursive: true })
      expect(yield* messageOf(operations.spawn(sh("touch ran")))).toContain("no profile can name")
      expect(existsSync(join(root, "ran"))).toBe(false)
      rmSync(join(root, "a\nb"), { recursive: true })
      const { stdout } = yield* operations.spawn(sh('printf %s "$HOME"'))
      expect(readdirSync(dirname(stdout))).toEqual([])
    })
  )

  it.scoped("leaves nothing that runs later: it is moved away, and said [P15]", () =>
    Effect.gen(function* () {
      const { as, folder, root } = yield* rig()
      const { heard, observe } = ear()
      const { notes } = yield* as({ observe }).spawn(sh("echo x > .envrc"))
      expect(notes?.join()).toContain("was made by the child, and was moved to")
      expect(heard.length).toBe(1)
      expect([existsSync(join(root, ".envrc")), statSync(join(folder, "q")).isDirectory()]).toEqual([
        false,
        true
      ])
    })
  )

  it.scoped("ends with all that it started, and its home goes, when its caller is interrupted", () =>
    Effect.gen(function* () {
      const { operations, root } = yield* rig()
      const { asleep, command, sleepers } = sleep()
      const child = yield* Effect.fork(
        operations.spawn(sh(`printf %s "$HOME" > home; ${command} & ${command}`))
      )
      yield* asleep(2)
      yield* Fiber.interrupt(child)
      expect(sleepers()).toEqual([])
      expect(existsSync(readFileSync(join(root, "home"), "utf8"))).toBe(false)
    })
  )

  it.scoped("whose profile the system does not take has not run, and its words say so", () =>
    Effect.gen(function* () {
      const { operations, seatbelt } = yield* rig()
      yield* operations.spawn(sh("true"))
      script(seatbelt, "echo 'sandbox-exec: <input string>:1: unbound variable' >&2; exit 65")
      expect(yield* messageOf(operations.spawn(sh("true")))).toContain("what holds it could not be set up")
    })
  )
})

describe("whether profiles can be used", () => {
  const found = (seatbelt: string) => Probe.probe({ path: undefined, platform: "darwin", seatbelt })

  it.scoped("is found out by starting true under one", () =>
    Effect.gen(function* () {
      const { profile, seatbelt } = yield* standIn()
      expect(yield* found(seatbelt)).toEqual({ held: true, by: "seatbelt", program: seatbelt })
      expect(profile()("process-exec", "/usr/bin/true")).toBe(true)
      expect(profile()("file-read-data", "/home/me/x")).toBe(false)
    })
  )

  it.scoped.each([
    ["", "not_installed", "is not there"],
    [
      "echo 'sandbox-exec: sandbox_apply: Operation not permitted' >&2; exit 71",
      "forbidden",
      "inside of another sandbox"
    ],
    ["echo odd >&2; exit 1", "forbidden", "does not start here and says 'odd'"],
    ["exit 1", "forbidden", "sandbox-exec does not start here"]
  ] as const)("is told apart: %s", ([text, kind, why]) =>
    Effect.gen(function* () {
      const { seatbelt } = yield* standIn(text)
      if (text === "") rmSync(seatbelt)
      const probed = yield* found(seatbelt)
      expect(probed).toMatchObject({ held: false, isExpected: true, kind, why: expect.stringContaining(why) })
    })
  )

  it.effect("is not asked where there is no such program: nobody expects it there", () =>
    Effect.map(Probe.probe({ path: undefined, platform: "freebsd" }), (probed) =>
      expect(probed).toMatchObject({ held: false, isExpected: false, kind: "unsupported" })
    )
  )
})

const greet = Tool.make({
  name: "greet",
  description: "Says hello",
  parameters: Schema.Struct({}),
  success: Schema.Struct({ said: Schema.String, notes: Schema.Array(Schema.String) }),
  capabilities: { process: { allowedBinaries: ["echo"] } },
  execute: () =>
    Effect.map(Process.spawn("echo", ["hello"], { cwd: "/" }), ({ notes = [], stdout }) => ({
      said: stdout,
      notes
    }))
})

const called = (mode: Mode | undefined, seatbelt: string) =>
  Effect.gen(function* () {
    const policy = Policy.make({
      authority: authority({ process: { exec: [{ argv: "echo:*", in: "/" }] } }),
      ...(mode === undefined ? {} : { sandbox: mode })
    })
    const turn = Turn.make({ session: "s", policy, workdir: "/" })
    const [answer] = yield* Registry.make(greet).execute(turn, [{ id: "1", name: "greet", args: {} }])
    return JSON.stringify(answer?.result)
  }).pipe(Effect.provide(NodeProcess.layer({ sandbox: { platform: "darwin", seatbelt } })))

describe("on macOS, where nothing holds commands", () => {
  it.scoped.each([undefined, "required"] as const)(
    "a tool that runs them is not available: sandbox %s",
    (mode) =>
      Effect.gen(function* () {
        const { seatbelt } = yield* standIn("exit 1")
        const answers = [yield* called(mode, seatbelt), yield* called(mode, `${seatbelt}.missing`)]
        for (const answer of answers) expect(answer).toContain("not_available")
        expect(answers[1]).toContain("is not there")
      })
  )

  it.scoped("they run with a warning where that is preferred, and silently where it is off", () =>
    Effect.gen(function* () {
      const { seatbelt } = yield* standIn("exit 1")
      expect(yield* called("preferred", seatbelt)).toContain("nothing held this command")
      expect(yield* called("off", seatbelt)).toContain('{"said":"hello\\n","notes":[]}')
    })
  )

  it.scoped("they run where it holds them", () =>
    Effect.gen(function* () {
      const { seatbelt } = yield* standIn()
      expect(yield* called(undefined, seatbelt)).toContain('{"said":"hello\\n","notes":[]}')
    })
  )
})

/** Programs as they are, run by a model's call: they reach what the policy of the turn gives their tool, and nothing else. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Logger, Schema } from "effect"
import { has } from "../../../../scripts/lib/system.js"
import * as NodeFiles from "../../../../src/layers/node/files/NodeFiles.js"
import * as NodeProcess from "../../../../src/layers/node/process/NodeProcess.js"
import * as Authority from "../../../../src/policy/lattice/Authority.js"
import * as Policy from "../../../../src/policy/Policy.js"
import * as Registry from "../../../../src/registry/Registry.js"
import * as Turn from "../../../../src/registry/Turn.js"
import { builtins } from "../../../../src/tools/builtin/index.js"
import { certificate } from "./certificates.js"
import { ech, hello, name, records } from "./hellos.js"
import { internet } from "./internet.js"

const all = ["bwrap", "prlimit", "perl", "openssl", "curl", "wget", "git", "pip"] as const

const canRun = all.every((name) => has(name))

/** Who looks at no variables. */
const BLIND =
  "env -u http_proxy -u https_proxy -u HTTP_PROXY -u HTTPS_PROXY -u ALL_PROXY -u all_proxy -u NODE_USE_ENV_PROXY"

const NODE = process.execPath
const NPM = join(dirname(NODE), "npm")

const PROGRAMS: ReadonlyArray<readonly [name: string, script: string, said: string]> = [
  ["curl", "curl -sS http://a.test/said", "GET a.test"],
  ["curl over TLS", "curl -sS https://a.test/said", "GET a.test"],
  ["wget", "wget -qO- http://a.test/said", "GET a.test"],
  ["wget over TLS", "wget -qO- https://a.test/said", "GET a.test"],
  ["git", "git clone -q http://a.test/repository.git /tmp/got && cat /tmp/got/said", "from the repository"],
  [
    "git over TLS",
    "git clone -q https://a.test/repository.git /tmp/got && cat /tmp/got/said",
    "from the repository"
  ],
  [
    "pip",
    "/usr/bin/python3 -m pip install -q --retries 0 --no-cache-dir --root-user-action=ignore --target /tmp/got -i https://registry.test/simple/ tiny && PYTHONPATH=/tmp/got /usr/bin/python3 -c 'import tiny; print(tiny.said)'",
    "from the index"
  ],
  [
    "npm",
    `mkdir /tmp/got && cd /tmp/got && ${NPM} install --silent --fetch-retries=0 --no-audit --no-fund --prefix /tmp/got --registry https://registry.test/ tiny-package && ${NODE} -p 'require("tiny-package")'`,
    "from the registry"
  ],
  [
    "the fetch of Node",
    `${NODE} -e 'fetch("http://a.test/said").then((r) => r.text()).then(console.log)'`,
    "GET a.test"
  ],
  [
    "the fetch of Node over TLS",
    `${NODE} -e 'fetch("https://a.test/said").then((r) => r.text()).then(console.log)'`,
    "GET a.test"
  ]
]

const QUIET = Logger.remove(Logger.defaultLogger)

/** Scripts as `run_shell` runs them, each under a policy of its own: these hosts, with these verbs of each. */
const worldWith = (options: NodeProcess.Options) =>
  Effect.gen(function* () {
    const net = yield* internet
    const root = yield* Effect.acquireRelease(
      Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-programs-")))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const { connect, interfaces, resolve } = net
    const network = { resolve, connect, interfaces, trusted: [certificate.authority] }
    const backends = yield* Layer.build(
      Layer.merge(NodeFiles.layer(), NodeProcess.layer({ ...options, sandbox: { network } }))
    )
    const registry = Registry.make(...builtins)
    const run = (network: Authority.Encoded["network"], script: string) =>
      Effect.gen(function* () {
        const authority = Schema.decodeSync(Authority.FromJson)({
          ...(network === undefined ? {} : { network }),
          process: { eval: [`${root}/`] },
          files: { read: [`${root}/`, `${dirname(dirname(NODE))}/`] }
        })
        const turn = Turn.make({ session: "s", policy: Policy.make({ authority }), workdir: root })
        const [{ result }] = yield* registry.execute(turn, [{ id: "1", name: "run_shell", args: { script } }])
        const asked = turn.transcript.events.filter(({ capability }) =>
          /^(network|private)\b/.test(capability)
        )
        return { result, asked }
      }).pipe(Effect.provide(backends), Effect.provide(QUIET))
    return { ...net, run }
  })

const world = worldWith({})

const four = (hosts: ReadonlyArray<string>) => ({ get: hosts, post: hosts, put: hosts, delete: hosts })

const without = (script: string): string => `${BLIND} sh -c '${script.replaceAll("'", `'"'"'`)}'`

describe.skipIf(!canRun)("A program that a model runs", () => {
  it.scoped.each(PROGRAMS)(
    "%s reaches a host that is granted by its name, with variables and without",
    ([, script, said]) =>
      Effect.gen(function* () {
        const { dialled, run } = yield* world
        for (const one of [script, without(script)]) {
          const { asked, result } = yield* run(four(["a.test", "registry.test"]), one)
          expect(JSON.stringify(result)).toContain(said)
          expect(result).toMatchObject({ ok: true, value: { exitCode: 0 } })
          expect(asked.length).toBeGreaterThan(0)
          expect(
            asked.every(({ allowed, callId, tool }) => allowed && callId === "1" && tool === "run_shell")
          ).toBe(true)
        }
        expect(dialled.length).toBeGreaterThanOrEqual(2)
      })
  )

  it.scoped.each(PROGRAMS)("%s reaches nothing where nothing is granted", ([, script]) =>
    Effect.gen(function* () {
      const { dialled, resolved, run } = yield* world
      for (const one of [script, without(script)]) {
        const { result } = yield* run(four(["c.test"]), one)
        expect(result.ok).toBe(true)
        expect(JSON.stringify(result)).not.toMatch(/GET [ar]|from the/)
      }
      expect([dialled, resolved]).toEqual([[], []])
    })
  )

  it.scoped("has no network where the policy gives no hosts", () =>
    Effect.gen(function* () {
      const { dialled, resolved, run } = yield* world
      const { asked, result } = yield* run(
        undefined,
        "env | grep -ci '^[a-z_]*proxy='; curl -s http://a.test/said; echo $?"
      )
      expect(result).toMatchObject({ ok: true, value: { stdout: "0\n6\n" } })
      expect([asked, dialled, resolved]).toEqual([[], [], []])
    })
  )

  it.scoped("does not ask for news of itself, unless it is told to", () =>
    Effect.gen(function* () {
      const { run } = yield* world
      const shown = 'echo "$NO_UPDATE_NOTIFIER $npm_config_update_notifier $PIP_DISABLE_PIP_VERSION_CHECK"'
      const shownTo = (network: Authority.Encoded["network"]) =>
        Effect.map(run(network, shown), ({ result }) => JSON.stringify(result))
      expect(yield* shownTo({ get: ["a.test"] })).toContain('"1 false 1\\n"')
      expect(yield* shownTo(undefined)).toContain('"  \\n"')
      const npm = `mkdir /tmp/own && cd /tmp/own && echo '{"scripts":{"hi":"echo hi"}}' > package.json && ${NPM} run -s hi`
      const silent = yield* run({ get: ["a.test"] }, npm)
      expect([silent.result.ok, silent.asked]).toEqual([true, []])
      // It waits for no news: a script may be over before it has asked.
      yield* Effect.repeat(run({ get: ["a.test"] }, `export npm_config_update_notifier=true; ${npm}`), {
        until: ({ asked }) => asked.some(({ allowed }) => !allowed)
      })
      const told = yield* worldWith({
        env: "inherit",
        environment: { PATH: process.env.PATH, npm_config_update_notifier: "true" }
      })
      const { result } = yield* told.run({ get: ["a.test"] }, shown)
      expect(result).toMatchObject({ ok: true, value: { stdout: "1 true 1\n" } })
    })
  )

  it.scoped("has nobody and no socket file beside it for its hosts", () =>
    Effect.gen(function* () {
      const { run } = yield* world
      const script =
        "for one in /proc/[0-9]*; do cut -c 1-60 $one/comm; done; find / -type s 2>/dev/null; wc -l < /proc/net/unix; ls /proc/self/fd"
      const [alone, reaching] = yield* Effect.all([run(undefined, script), run(four(["a.test"]), script)])
      expect(reaching.result).toMatchObject({ ok: true, value: { exitCode: 0 } })
      const outputOf = ({ result }: typeof alone) => (result.ok ? Object(result.value).stdout : undefined)
      expect(outputOf(reaching)).toBe(outputOf(alone))
      expect(outputOf(alone)).toContain("sh\n")
    })
  )

  it.scoped("finds no way around its proxy in the operator's environment [X16]", () =>
    Effect.gen(function* () {
      const { run } = yield* worldWith({
        env: "inherit",
        environment: {
          ...process.env,
          NO_PROXY: "10.0.0.0/8",
          no_proxy: "*",
          http_proxy: "http://127.0.0.1:1"
        }
      })
      const { result } = yield* run(
        { get: ["a.test"] },
        "env | grep -ci '^no_proxy='; curl -sS http://a.test/said"
      )
      expect(result).toMatchObject({ ok: true, value: { stdout: "0\nGET a.test" } })
    })
  )

  it.scoped("is told in its result what it was refused, and what would allow it", () =>
    Effect.gen(function* () {
      const { run } = yield* world
      for (const script of ["curl -s https://a.test/said", "curl -s --noproxy '*' https://a.test/said"]) {
        const { asked, result } = yield* run({ get: ["a.test"] }, script)
        const note =
          "needs all of net.get{hosts=[a.test]}, net.post{hosts=[a.test]}, net.put{hosts=[a.test]} and net.delete{hosts=[a.test]}"
        expect(result).toMatchObject({ ok: true, value: { stdout: "", note: expect.stringContaining(note) } })
        expect(asked.map(({ allowed, capability }) => `${capability} ${allowed}`)).toEqual([
          "network.get true",
          "network.post false",
          "network.put false",
          "network.delete false"
        ])
      }
    })
  )

  it.scoped("has every refusal of its proxy among the events of its call, once", () =>
    Effect.gen(function* () {
      const { dialled, run } = yield* world
      const sent = [
        ["a.test", 443, records(hello([name("a.test"), ech]))],
        ["127.0.0.1", 3128, Buffer.from("HELO\r\n")],
        ["127.0.0.1", 3128, Buffer.from("CONNECT a.test HTTP/1.1\r\n\r\n")]
      ] as const
      const lines = sent.map(([host, port, bytes]) => JSON.stringify([host, port, bytes.toString("base64")]))
      const script = `for (const [host, port, text] of [${lines.join()}].flatMap((one) => [one, one, one]))
        require("net").connect(port, host).on("error", () => {}).resume().end(Buffer.from(text, "base64"))`
      const { asked, result } = yield* run(four(["a.test"]), `${NODE} -e '${script}'`)
      expect(result).toMatchObject({ ok: true, value: { note: expect.stringContaining("switch ECH off") } })
      expect(asked.map(({ asked: what, callId, code }) => `${callId} ${code} ${what}`).sort()).toEqual([
        "1 HOST_NOT_ALLOWED connect a.test:443",
        "1 REQUEST_INVALID what cannot be asked for",
        "1 URL_INVALID what cannot be asked for"
      ])
      expect(asked.every(({ allowed, remedy = "" }) => !allowed && remedy !== "")).toBe(true)
      expect(dialled).toEqual([])
    })
  )

  it.scoped(
    "has the policy of its own call, 40 at once: none is crossed, and none begins too early [X14] [X15] [X17]",
    () =>
      Effect.gen(function* () {
        const { run } = yield* world
        const hosts = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? "a.test" : "b.test"))
        const ran = yield* Effect.all(
          hosts.map((host, index) => {
            const way = index % 4 < 2 ? "" : "--noproxy '*'"
            const other = host === "a.test" ? "b.test" : "a.test"
            return run(
              { get: [host] },
              `curl -sS ${way} http://${host}/said; curl -s ${way} http://${other}/said; true`
            )
          }),
          { concurrency: 40 }
        )
        for (const [index, { asked, result }] of ran.entries()) {
          const host = hosts[index] ?? ""
          const isThroughProxy = index % 4 < 2
          expect(result).toMatchObject({
            ok: true,
            value: { stdout: expect.stringMatching(`^GET ${host}`), stderr: "" }
          })
          expect(JSON.stringify(result).match(/GET [ab]\.test/g)).toHaveLength(1)
          expect(asked.map(({ allowed }) => allowed)).toEqual(isThroughProxy ? [true, false] : [true])
        }
      })
  )
})

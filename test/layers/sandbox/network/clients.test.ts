/** Programs as they are, each in a namespace without a network: they reach what their tool may reach, and nothing else. */
import { execFile } from "node:child_process"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { has } from "../../../../scripts/lib/system.js"
import * as ChildNetwork from "../../../../src/layers/node/sandbox/ChildNetwork.js"
import type { Door } from "../../../../src/policy/confinement/Plan.js"
import type * as Authority from "../../../../src/policy/lattice/Authority.js"
import { certificate } from "./certificates.js"
import { everything, held, permitted } from "./fixture.js"
import { run } from "./inside.js"
import { internet } from "./internet.js"

const all = ["bwrap", "perl", "openssl", "curl", "wget", "git", "pip"] as const

const canRun = all.every((name) => has(name))

const doorsTo = (...hosts: ReadonlyArray<string>): ReadonlyArray<Door> =>
  hosts.flatMap((host) => [
    { host, port: 80 },
    { host, port: 443 }
  ])

const world = Effect.gen(function* () {
  const net = yield* internet
  const network = yield* ChildNetwork.make({
    resolve: net.resolve,
    connect: net.connect,
    interfaces: net.interfaces,
    trusted: [certificate.authority]
  })
  /** A command under an authority, with doors for these hosts. */
  const as = (authority: Authority.Authority, doors: ReadonlyArray<Door> = []) => {
    const { events, proof } = permitted(authority)
    const notes: Array<string> = []
    const command = (...argv: ReadonlyArray<string>) =>
      Effect.orDie(run(network, { proof, doors, note: (text) => notes.push(text) }, argv))
    return { command, events, notes }
  }
  return { ...net, network, as }
})

const shell = (script: string) => ["sh", "-c", script]

const NODE = process.execPath

describe.skipIf(!canRun)("In the network of a child", () => {
  it.scoped("curl goes through the proxy however it is told not to [X02]", () =>
    Effect.gen(function* () {
      const { as, dialled } = yield* world
      const { command, events } = as(everything(["a.test"]), doorsTo("a.test"))
      const { stdout } = yield* command(
        "curl",
        "-sS",
        "--noproxy",
        "*",
        "http://a.test/said",
        "https://a.test/said"
      )
      expect(stdout).toBe("GET a.testGET a.test")
      const other = yield* command("curl", "-sS", "--noproxy", "*", "http://b.test/said")
      expect(other).toMatchObject({ code: 6, stdout: "" })
      expect(events).toHaveLength(5)
      expect(new Set(dialled.map(({ host }) => host))).toEqual(new Set(["a.test"]))
    })
  )

  it.scoped("nothing is reached by address, at the port of the proxy or elsewhere [X03]", () =>
    Effect.gen(function* () {
      const { as, dialled, port } = yield* world
      const { command, events } = as(everything(["a.test"]), doorsTo("a.test"))
      // Loopback of the machine is another loopback: this server is not there.
      const { stdout } = yield* command(
        ...shell(
          `for at in 127.0.0.1:${port} 127.0.0.2:3128 127.1.0.9:80 127.0.0.1:80; do curl -sS --noproxy '*' http://$at/said; done; true`
        )
      )
      expect([stdout, dialled, events]).toEqual(["", [], []])
    })
  )

  it.scoped("TLS for another name is refused, behind a door and in a tunnel [X05]", () =>
    Effect.gen(function* () {
      const { as, dialled } = yield* world
      const { command, notes } = as(everything(["a.test"]), doorsTo("a.test"))
      for (const way of [
        ["--noproxy", "*"],
        ["--proxy", "http://127.0.0.1:3128", "--connect-to", "b.test:443:a.test:443"]
      ]) {
        const { code, stdout } = yield* command(
          "curl",
          "-sS",
          ...way,
          "--resolve",
          "b.test:443:127.1.0.0",
          "https://b.test/said"
        )
        expect(stdout).toBe("")
        expect(code).not.toBe(0)
      }
      expect(dialled).toEqual([])
      expect(notes.join("\n")).toContain("asks for b.test")
    })
  )

  it.scoped("a host with some verbs has those over HTTP, and none over TLS, in words", () =>
    Effect.gen(function* () {
      const { as } = yield* world
      const { command, events, notes } = as(held({ get: ["a.test"] }), doorsTo("a.test"))
      for (const way of [[], ["--noproxy", "*"]]) {
        expect((yield* command("curl", "-sS", ...way, "http://a.test/said")).stdout).toBe("GET a.test")
        expect((yield* command("curl", "-sS", ...way, "-d", "x", "http://a.test/said")).stdout).toContain(
          "net.post{hosts=[a.test]}"
        )
        const secure = yield* command("curl", "-sS", ...way, "https://a.test/said")
        expect(secure.stderr).toMatch(
          way.length === 0 ? /CONNECT tunnel failed, response 403/ : /access denied/
        )
      }
      expect(notes.join("\n")).toContain(
        "net.get{hosts=[a.test]}, net.post{hosts=[a.test]}, net.put{hosts=[a.test]} and net.delete{hosts=[a.test]}"
      )
      expect(events.filter((event) => event.startsWith("refused POST https"))).toHaveLength(2)
    })
  )

  it.scoped("a redirect is a request of its own", () =>
    Effect.gen(function* () {
      const { as, dialled } = yield* world
      const { command, events } = as(held({ get: ["a.test"] }), doorsTo("a.test"))
      expect((yield* command("curl", "-sSL", "http://a.test/moved")).stdout).toContain(
        "HOST_NOT_ALLOWED: evil.test"
      )
      expect(events).toEqual(["allowed GET http://a.test/moved", "refused GET http://evil.test/"])
      expect(dialled.map(({ host }) => host)).toEqual(["a.test"])
    })
  )

  it.scoped("a private endpoint is reached where the policy names it, by its door too", () =>
    Effect.gen(function* () {
      const { port } = yield* internet
      const network = yield* ChildNetwork.make({
        resolve: () => Effect.succeed([{ address: "127.0.0.1", family: 4 }])
      })
      const { proof } = permitted(
        held({ get: ["a.test", "127.0.0.1"] }, [`a.test:${port}`, `127.0.0.1:${port}`])
      )
      const doors = [
        { host: "a.test", port },
        { host: "127.0.0.1", port }
      ]
      for (const way of [[], ["--noproxy", "*"]]) {
        for (const host of ["a.test", "127.0.0.1"]) {
          const ran = run(network, { proof, doors }, ["curl", "-sS", ...way, `http://${host}:${port}/said`])
          expect((yield* Effect.orDie(ran)).stdout).toBe(`GET ${host}:${port}`)
        }
      }
      const other = yield* Effect.orDie(
        run(network, { proof, doors }, ["curl", "-sS", `http://a.test:${port + 1}/`])
      )
      expect(other.stdout).toContain("ADDRESS_NOT_ALLOWED")
    })
  )

  it.scoped("a private endpoint at [::1] is reached in the same ways", () =>
    Effect.gen(function* () {
      const { dialled, network } = yield* world
      const { events, proof } = permitted(held({ get: ["[::1]"] }, ["[::1]:8080"]))
      const doors = [{ host: "[::1]", port: 8080 }]
      const fetched = (port: number, ...way: ReadonlyArray<string>) =>
        Effect.orDie(run(network, { proof, doors }, ["curl", "-sSg", ...way, `http://[::1]:${port}/said`]))
      for (const way of [[], ["--noproxy", "*"]]) {
        expect(yield* fetched(8080, ...way)).toMatchObject({ stdout: "GET [::1]:8080", stderr: "" })
      }
      expect(new Set(dialled.map(({ address, port }) => `${address} ${port}`))).toEqual(new Set(["::1 8080"]))
      expect(new Set(events)).toEqual(new Set(["allowed GET http://[::1]:8080/said"]))
      expect((yield* fetched(8081)).stdout).toContain("ADDRESS_NOT_ALLOWED")
      // Nobody listens there.
      expect((yield* fetched(8081, "--noproxy", "*")).code).toBe(7)
    })
  )

  it.scoped("no name is looked up from inside [X13]", () =>
    Effect.gen(function* () {
      const { as, dialled, resolved } = yield* world
      const { command, events } = as(everything(["a.test"]), doorsTo("a.test"))
      const { stdout } = yield* command(
        ...shell(
          `getent hosts secret.evil.test; ${NODE} -e 'require("dns").resolve("secret.evil.test", (e) => console.log(e ? "no" : "yes"))'; curl -s --noproxy '*' http://secret.evil.test/`
        )
      )
      expect(stdout).toBe("no\n")
      expect([dialled, resolved, events]).toEqual([[], [], []])
      // Through the proxy, it is asked about before it is looked up.
      yield* command("curl", "-sS", "http://secret.evil.test/")
      expect([resolved, events]).toEqual([[], ["refused GET http://secret.evil.test/"]])
    })
  )

  it.scoped("is no variable that leads around the proxy [X16]", () =>
    Effect.gen(function* () {
      const { as } = yield* world
      const { command } = as(everything(["a.test"]))
      const { stdout } = yield* command("env")
      expect(stdout).toContain("http_proxy=http://127.0.0.1:3128\n")
      expect(stdout).not.toMatch(/^no_proxy=/im)
    })
  )

  it.scoped("is a call's own policy, also beside a wider one [X15]", () =>
    Effect.gen(function* () {
      const { as } = yield* world
      const wide = as(everything(["a.test", "b.test"]), doorsTo("a.test", "b.test"))
      const narrow = as(held({ get: ["a.test"] }), doorsTo("a.test"))
      const both = ["curl", "-sS", "http://a.test/said", "http://b.test/said"]
      const [first, second] = yield* Effect.all([wide.command(...both), narrow.command(...both)], {
        concurrency: 2
      })
      expect(first.stdout).toBe("GET a.testGET b.test")
      expect(second.stdout).toMatch(/^GET a\.testHOST_NOT_ALLOWED: b\.test/)
    })
  )

  it.scoped("is nobody else's, 40 at once: none is crossed, and none begins too early [X14] [X17]", () =>
    Effect.gen(function* () {
      const { as } = yield* world
      const ran = yield* Effect.all(
        Array.from({ length: 40 }, (_, index) => {
          const host = index % 2 === 0 ? "a.test" : "b.test"
          const { command, events } = as(held({ get: [host] }), doorsTo(host))
          const way = index % 4 < 2 ? [] : ["--noproxy", "*"]
          return Effect.map(command("curl", "-sS", ...way, `http://${host}/said?${index}`), ({ stdout }) => [
            stdout,
            events
          ])
        }),
        { concurrency: 40 }
      )
      expect(ran).toEqual(
        ran.map((_, index) => {
          const host = index % 2 === 0 ? "a.test" : "b.test"
          return [`GET ${host}`, [`allowed GET http://${host}/said`]]
        })
      )
    })
  )

  it.scoped("is nothing, and a note says so, where nobody can listen inside", () =>
    Effect.gen(function* () {
      const network = yield* ChildNetwork.make({ perl: "/nowhere/perl" })
      const { proof } = permitted(everything(["a.test"]))
      const notes: Array<string> = []
      const child = { proof, doors: doorsTo("a.test"), note: (text: string) => notes.push(text) }
      const { code, stdout } = yield* Effect.orDie(
        run(network, child, shell("env | grep -ci '^[a-z_]*proxy='; curl -s http://a.test/"))
      )
      expect([code, stdout]).toEqual([6, "0\n"])
      expect(notes).toEqual([network.unavailable])
    })
  )
})

describe.skipIf(!(has("openssl") && has("curl")))("Without a namespace", () => {
  it.scoped("a proxy on a port of the machine serves who has the variables of the call", () =>
    Effect.gen(function* () {
      const net = yield* internet
      const network = yield* ChildNetwork.make({
        resolve: net.resolve,
        connect: net.connect,
        interfaces: net.interfaces
      })
      const { events, proof } = permitted(held({ get: ["a.test"] }))
      const here = yield* network.openHere({
        proof,
        plan: { reaches: true, doors: [] },
        limits: {},
        note: () => {}
      })
      const curl = (env: Readonly<Record<string, string>>) =>
        Effect.async<string>((resume) => {
          execFile(
            "curl",
            ["-sS", "http://a.test/said"],
            { env: { PATH: process.env.PATH, ...env } },
            (_, stdout) => resume(Effect.succeed(stdout))
          )
        })
      expect(yield* curl(here.environment)).toBe("GET a.test")
      expect(yield* curl({ http_proxy: `http://127.0.0.1:${here.port}` })).toContain("belongs to one command")
      expect(events).toEqual(["allowed GET http://a.test/said"])
    })
  )
})

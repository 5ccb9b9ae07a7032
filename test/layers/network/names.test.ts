/** Threat: between the check of a name and the connection, the name comes to mean another address. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { get, names, network, reach, recorder, serve, serveTcp, text } from "./fixture.js"

const here = serve((request, response) => response.end(`${request.headers.host} ${request.url}`))

describe("names", () => {
  it.scoped("are looked up once for a connection, which goes to the address that was looked at", () =>
    Effect.gen(function* () {
      const { port } = yield* here
      const { asked, connect } = recorder(port)
      const { asked: looked, resolve } = names({ "api.ok.com": ["8.8.8.8", "2606:4700::1"] })
      const net = yield* network(reach(["api.ok.com"]), { connect, resolve })
      const answer = yield* get(net, "http://API.ok.com.:8080/x?y=1#z")
      expect(text(answer.body)).toBe("api.ok.com:8080 /x?y=1")
      expect(looked).toEqual(["api.ok.com"])
      expect(asked).toEqual([{ host: "api.ok.com", address: "8.8.8.8", family: 4, port: 8080 }])
    })
  )

  it.scoped("try the next address when the first does not answer", () =>
    Effect.gen(function* () {
      const { port } = yield* here
      const { asked, connect } = recorder(port)
      const { asked: looked, resolve } = names({ "api.ok.com": ["2606:4700::1", "8.8.8.8"] })
      const net = yield* network(reach(["api.ok.com"]), {
        resolve,
        connect: (endpoint) =>
          endpoint.family === 6 ? Effect.fail({ code: "ENETUNREACH" }) : connect(endpoint)
      })
      expect((yield* get(net, "http://api.ok.com/")).status).toBe(200)
      expect(asked.map(({ address }) => address)).toEqual(["8.8.8.8"])
      expect(looked).toEqual(["api.ok.com"])
    })
  )

  it.scoped.each([
    [["8.8.8.8", "10.0.0.1"]],
    [["10.0.0.1", "8.8.8.8"]],
    [["8.8.8.8", "169.254.169.254"]],
    [["8.8.8.8", "nonsense"]]
  ] as const)("E12: a name for %j is refused, although one address is public", ([addresses]) =>
    Effect.gen(function* () {
      const { asked, connect } = recorder()
      const net = yield* network(reach(["*"]), {
        connect,
        resolve: names({ "a.example": addresses }).resolve
      })
      expect((yield* Effect.flip(get(net, "http://a.example/"))).code).toBe("ADDRESS_NOT_ALLOWED")
      expect(asked).toEqual([])
    })
  )

  it.scoped("E13/N16: a resolver that fails is a refusal, and nothing is sent", () =>
    Effect.gen(function* () {
      const failures = [
        () => Effect.fail({ code: "EAI_AGAIN", message: "secret-server" }),
        () => Effect.die(new Error("secret-server")),
        () => {
          throw new Error("secret-server")
        }
      ]
      for (const resolve of failures) {
        const { asked, connect } = recorder()
        const net = yield* network(reach(["*"]), { connect, resolve })
        const error = yield* Effect.flip(get(net, "http://a.example/?token=hunter2"))
        expect(error.message).toMatch(
          /^REQUEST_FAILED: a\.example could not be resolved \((EAI_AGAIN|Error|no code)\)/
        )
        expect(error.message).not.toMatch(/secret-server|hunter2/)
        expect(asked).toEqual([])
      }
    })
  )

  it.scoped("E13/N17: a resolver without an answer is a refusal, and nothing is sent", () =>
    Effect.gen(function* () {
      for (const answer of [[], null, undefined, "8.8.8.8", [{}], [null], [{ address: 8 }]]) {
        const { asked, connect } = recorder()
        const net = yield* network(reach(["*"], ["*"]), {
          connect,
          resolve: () => Effect.succeed(answer as unknown as ReadonlyArray<never>)
        })
        const error = yield* Effect.flip(get(net, "http://a.example/"))
        expect(error.code).toMatch(/^(REQUEST_FAILED|ADDRESS_NOT_ALLOWED)$/)
        expect(asked).toEqual([])
      }
    })
  )

  it.scoped(
    "E14/N15: a name that changes its answer changes nothing for the connection that was vetted",
    () =>
      Effect.gen(function* () {
        const { port } = yield* serve((_, response) => response.setHeader("connection", "close").end())
        const { asked, connect } = recorder(port)
        const answers = ["8.8.8.8", "127.0.0.1"]
        const net = yield* network(reach(["a.example"]), {
          connect,
          resolve: () => Effect.sync(() => [{ address: answers.shift() ?? "", family: 4 }])
        })
        expect((yield* get(net, "http://a.example/")).status).toBe(200)
        expect(asked.map(({ address }) => address)).toEqual(["8.8.8.8"])
        expect(answers).toEqual(["127.0.0.1"])
        // The next connection asks again, and is judged by what it is told.
        expect((yield* Effect.flip(get(net, "http://a.example/"))).code).toBe("ADDRESS_NOT_ALLOWED")
        expect(asked.length).toBe(1)
      })
  )

  it.scoped("are what TLS asks the server for, at the vetted address", () =>
    Effect.gen(function* () {
      const hellos: Array<string> = []
      const port = yield* serveTcp((socket) =>
        socket.once("data", (hello) => {
          hellos.push(hello.toString("latin1"))
          socket.destroy()
        })
      )
      const { asked, connect } = recorder(port)
      const net = yield* network(reach(["*"]), {
        connect,
        resolve: names({ "api.ok.com": "8.8.4.4" }).resolve
      })
      const error = yield* Effect.flip(get(net, "https://api.ok.com/secret?token=hunter2"))
      expect(error.message).toMatch(/^REQUEST_FAILED: no connection to api\.ok\.com:443 \([A-Z_]+\)/)
      expect(asked).toEqual([{ host: "api.ok.com", address: "8.8.4.4", family: 4, port: 443 }])
      yield* Effect.flip(get(net, "https://8.8.4.4/"))
      expect(hellos.map((hello) => hello.includes("api.ok.com"))).toEqual([true, false])
      expect(hellos.join()).not.toContain("8.8.4.4")
    })
  )
})

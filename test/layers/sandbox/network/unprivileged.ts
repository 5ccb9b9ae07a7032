/**
 * Started by a test as a process of its own: one command with the network of a child, said as JSON. With `hold` it has a helper,
 * says its number, and waits to be killed.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { Effect } from "effect"
import * as ChildNetwork from "../../../../src/layers/node/sandbox/ChildNetwork.js"
import * as Listeners from "../../../../src/layers/node/sandbox/listeners/Listeners.js"
import { held, PUBLIC, permitted } from "./fixture.js"
import { run } from "./inside.js"

const program = Effect.gen(function* () {
  const server = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const made = createServer(
        (request, response) => void response.end(`${request.method} ${request.headers.host}`)
      )
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.close()
        made.closeAllConnections()
      })
  )
  const { port } = server.address() as AddressInfo
  const network = yield* ChildNetwork.make({
    resolve: () => Effect.succeed([{ address: PUBLIC, family: 4 }]),
    connect: () =>
      Effect.async((resume) => {
        const socket = connect({ host: "127.0.0.1", port }, () => resume(Effect.succeed(socket)))
      })
  })
  const { events, proof } = permitted(held({ get: ["a.test"] }))
  const child = { proof, doors: [{ host: "a.test", port: 80 }] }
  const said: Array<string> = []
  for (const way of [[], ["--noproxy", "*"]]) {
    for (const host of ["a.test", "b.test"]) {
      said.push((yield* run(network, child, ["curl", "-sS", ...way, `http://${host}/`])).stdout.slice(0, 24))
    }
  }
  process.stdout.write(JSON.stringify({ user: process.getuid?.(), said, events }))
})

const holding = Effect.gen(function* () {
  const { listen } = yield* Listeners.make()
  // Its own namespace is refused, and the helper that refuses it stays.
  yield* Effect.either(listen({ pid: process.pid }, [{ address: "127.0.0.1", port: 3128 }]))
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim()
  process.stdout.write(`${children}\n`)
  yield* Effect.never
})

Effect.runPromise(Effect.scoped(process.argv[2] === "hold" ? holding : program)).catch((error) => {
  process.stderr.write(String(error))
  process.exitCode = 1
})

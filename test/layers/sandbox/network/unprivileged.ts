/** Started by a test as a process of its own, which is not root's: one command with the network of a child, said as JSON. */
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { Effect } from "effect"
import * as ChildNetwork from "../../../../src/layers/node/sandbox/ChildNetwork.js"
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

Effect.runPromise(Effect.scoped(program)).catch((error) => {
  process.stderr.write(String(error))
  process.exitCode = 1
})

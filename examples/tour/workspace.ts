/** A workspace to be thrown away, and a server on loopback that notes who asked. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

const files = {
  "notes/today.md": "Buy milk",
  "photo.txt": "a photo, in words",
  ".env": "WEATHER_API_KEY=tour-key\n"
}

export const workspace = Effect.acquireRelease(
  Effect.promise(async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), "bailiwick-tour-")))
    await mkdir(join(root, "notes"))
    for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text)
    return root
  }),
  (root) => Effect.promise(() => rm(root, { recursive: true, force: true }))
)

/** Answers with the weather to whoever has the key; gives the port. */
export const weatherService = Effect.map(
  Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) =>
        response.end(
          request.headers.authorization === "Bearer tour-key" ? "12 °C, light rain" : "who are you?"
        )
      )
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  ),
  (server) => (server.address() as AddressInfo).port
)

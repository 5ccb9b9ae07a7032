/**
 * A small internet on loopback: a repository, an index of Python packages and a registry of npm packages, over HTTP and
 * over TLS. All names lead to it, and who asks for which name is kept.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { type AddressInfo, connect, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { Endpoint } from "../../../../src/layers/node/network/Connector.js"
import type * as NodeNetwork from "../../../../src/layers/node/network/NodeNetwork.js"
import { certificate } from "./certificates.js"
import { PUBLIC } from "./fixture.js"

const quietly = (cwd: string, command: string, ...args: ReadonlyArray<string>) =>
  execFileSync(command, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" }
  })

const WHEEL = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("tiny.py", "said = 'from the index'\\n")
    wheel.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n")
    wheel.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("tiny-1.0.dist-info/RECORD", "")
`

/** What the programs ask for, as files. */
const shelves = (root: string): void => {
  mkdirSync(join(root, "work"))
  writeFileSync(join(root, "work/said"), "from the repository\n")
  const git = (...args: ReadonlyArray<string>) =>
    quietly(join(root, "work"), "git", "-c", "user.name=t", "-c", "user.email=t@t", ...args)
  git("init", "-q", "-b", "main")
  git("add", ".")
  git("commit", "-q", "-m", "first")
  quietly(root, "git", "clone", "-q", "--bare", join(root, "work"), join(root, "repository.git"))
  quietly(join(root, "repository.git"), "git", "update-server-info")
  mkdirSync(join(root, "simple/tiny"), { recursive: true })
  quietly(root, "python3", "-c", WHEEL, join(root, "tiny-1.0-py3-none-any.whl"))
  writeFileSync(
    join(root, "simple/tiny/index.html"),
    '<a href="/tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>'
  )
  mkdirSync(join(root, "package"))
  writeFileSync(join(root, "package/package.json"), '{"name":"tiny-package","version":"1.0.0"}')
  writeFileSync(join(root, "package/index.js"), 'module.exports = "from the registry"\n')
  quietly(root, "tar", "-czf", "tiny-package-1.0.0.tgz", "package")
  const integrity = createHash("sha512")
    .update(readFileSync(join(root, "tiny-package-1.0.0.tgz")))
    .digest("base64")
  const dist = { tarball: "https://registry.test/tiny-package-1.0.0.tgz", integrity: `sha512-${integrity}` }
  const version = { name: "tiny-package", version: "1.0.0", dist }
  writeFileSync(
    join(root, "tiny-package"),
    JSON.stringify({ name: "tiny-package", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } })
  )
}

const listenerOf =
  (root: string): RequestListener =>
  (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://x")
    if (pathname === "/said") return void response.end(`${request.method} ${request.headers.host}`)
    if (pathname === "/moved") return void response.writeHead(302, { location: "http://evil.test/" }).end()
    const path = join(root, pathname, pathname.endsWith("/") ? "index.html" : "")
    if (!existsSync(path) || !statSync(path).isFile()) return void response.writeHead(404).end()
    if (path.endsWith(".html")) response.setHeader("content-type", "text/html")
    if (path.endsWith("tiny-package")) response.setHeader("content-type", "application/json")
    response.end(readFileSync(path))
  }

const NAMES: ReadonlySet<string> = new Set(["a.test", "b.test", "c.test", "registry.test"])

export interface Internet extends Required<Pick<NodeNetwork.Options, "resolve" | "connect" | "interfaces">> {
  readonly dialled: ReadonlyArray<Endpoint>
  readonly resolved: ReadonlyArray<string>
  /** The port of loopback that its pages are served on, without TLS. */
  readonly port: number
}

export const internet: Effect.Effect<Internet, never, import("effect").Scope.Scope> = Effect.gen(
  function* () {
    const root = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "bailiwick-internet-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    shelves(root)
    const started = (server: Server) =>
      Effect.acquireRelease(
        Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
          const open = new Set<Socket>()
          server.on("connection", (socket: Socket) => {
            open.add(socket)
            socket.on("error", () => {}).once("close", () => open.delete(socket))
          })
          const close = () => {
            for (const socket of open) socket.destroy()
            server.close()
          }
          server.listen(0, "127.0.0.1", () =>
            resume(Effect.succeed({ port: (server.address() as AddressInfo).port, close }))
          )
        }),
        ({ close }) => Effect.sync(close)
      )
    const { cert, key } = certificate
    const plain = yield* started(createServer(listenerOf(root)))
    const secure = yield* started(createSecureServer({ cert, key }, listenerOf(root)))
    const dialled: Array<Endpoint> = []
    const resolved: Array<string> = []
    return {
      dialled,
      resolved,
      port: plain.port,
      interfaces: () => ({}),
      resolve: (host) =>
        Effect.suspend(() => {
          resolved.push(host)
          return NAMES.has(host)
            ? Effect.succeed([{ address: PUBLIC, family: 4 }])
            : Effect.fail({ code: "ENOTFOUND" })
        }),
      connect: (endpoint) =>
        Effect.async((resume) => {
          dialled.push(endpoint)
          const { port } = endpoint.port === 443 ? secure : plain
          const socket = connect({ host: "127.0.0.1", port, noDelay: true }, () =>
            resume(Effect.succeed(socket))
          )
          socket.once("error", (error) => resume(Effect.fail(error)))
        })
    }
  }
)

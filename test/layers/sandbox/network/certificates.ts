/** A certificate authority that is made for one run and thrown away, and servers that have a certificate of it. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo, Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { has } from "../../../../scripts/lib/system.js"

const NAMES = ["a.test", "b.test", "c.test", "registry.test", "files.test"]

const made = () => {
  const folder = mkdtempSync(join(tmpdir(), "bailiwick-certificates-"))
  const openssl = (...args: ReadonlyArray<string>) =>
    execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
  try {
    const names = [...NAMES.map((name) => `DNS:${name}`), "IP:127.0.0.1"].join(",")
    writeFileSync(join(folder, "names"), `subjectAltName=${names}\n`)
    openssl(
      "req",
      "-x509",
      ...key,
      "-keyout",
      "ca.key",
      "-out",
      "ca.pem",
      "-days",
      "2",
      "-subj",
      "/CN=throw-away authority"
    )
    openssl("req", ...key, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=a.test")
    openssl(
      "x509",
      "-req",
      "-in",
      "request.pem",
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
      "-out",
      "cert.pem",
      "-days",
      "2",
      "-extfile",
      "names"
    )
    const text = (name: string) => readFileSync(join(folder, name), "utf8")
    return { authority: text("ca.pem"), key: text("key.pem"), cert: text("cert.pem") }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Where there is no openssl, nobody looks at it. */
export const certificate = has("openssl") ? made() : { authority: "", key: "", cert: "" }

/** Says what it was asked, over TLS. */
export const secureEcho = Effect.acquireRelease(
  Effect.async<{ readonly port: number; readonly connections: () => number; readonly close: () => void }>(
    (resume) => {
      const open = new Set<Socket>()
      let count = 0
      const server = createServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
        response.end(`${request.method} ${request.headers.host} ${request.url}`)
      })
      server.on("connection", (socket: Socket) => {
        count++
        open.add(socket)
        socket.on("error", () => {}).once("close", () => open.delete(socket))
      })
      const close = () => {
        for (const socket of open) socket.destroy()
        server.close()
      }
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({ port: (server.address() as AddressInfo).port, connections: () => count, close })
        )
      )
    }
  ),
  ({ close }) => Effect.sync(close)
)

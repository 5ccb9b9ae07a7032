/**
 * The official conformance checks of servers, over HTTP. Their client knows no token, so that a door between adds it. One
 * check says in a header that it speaks 2025-03-26, after it agreed on another revision: the server refuses that one, as it
 * should, and the door corrects it. All else passes through the door as it is.
 */
import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { McpServer } from "bailiwick/mcp"
import { Effect, Exit, Layer, Logger, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import * as McpHttp from "../../src/mcp/http/McpHttp.js"
import { conformanceOptions, conformanceRecords } from "./conformanceTools.js"

const TOKEN = "conformance"

const UNSPOKEN = "2025-03-26"

/** What is not served, and so cannot be checked. */
const unserved: Readonly<Record<string, string>> = {
  "completion-complete": "arguments of prompts and templates are not completed",
  "tools-call-sampling": "a tool cannot ask the model of its client",
  "tools-call-elicitation": "a tool cannot ask the user of its client",
  "elicitation-sep1034-defaults": "a tool cannot ask the user of its client",
  "elicitation-sep1330-enums": "a tool cannot ask the user of its client",
  "json-schema-2020-12":
    "asks for a tool whose schema has $defs of its own; ours are written by Effect, in draft 7",
  "server-sse-polling": "a stream is not closed before its answer, and none is taken up again",
  "resources-read-text": "asks for a resource under a fixed address; ours are records",
  "resources-read-binary": "records are texts",
  "resources-templates-read": "asks for a template under a fixed address; ours are records",
  "resources-subscribe": "what changes in a record is not told",
  "resources-unsubscribe": "what changes in a record is not told",
  "prompts-get-with-args": "skills take no arguments",
  "prompts-get-embedded-resource": "skills are texts",
  "prompts-get-with-image": "skills are texts"
}

const served = [
  "server-initialize",
  "logging-set-level",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-with-logging",
  "tools-call-error",
  "tools-call-with-progress",
  "server-sse-multiple-streams",
  "resources-list",
  "prompts-list",
  "prompts-get-simple",
  "dns-rebinding-protection"
]

const program = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js")

const run = (args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (_error, stdout, stderr) => resolve(`${stdout}${stderr}`))
  })

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** Each scenario leaves a folder with what it checked. */
const checksIn = (folder: string): ReadonlyArray<Check> =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith("checks.json"))
    .flatMap((file): ReadonlyArray<Check> => JSON.parse(readFileSync(join(folder, file), "utf8")))

const scope = Effect.runSync(Scope.make())
let url = ""

beforeAll(async () => {
  let target = 0
  const door = createServer((asked, answer) => {
    const { headers, method, url: path } = asked
    const revision = headers["mcp-protocol-version"]
    const corrected = revision === UNSPOKEN ? { "mcp-protocol-version": "2025-11-25" } : {}
    const passed = request(
      {
        host: "127.0.0.1",
        port: target,
        method,
        path,
        headers: { ...headers, ...corrected, authorization: `Bearer ${TOKEN}` }
      },
      (found) => {
        answer.writeHead(found.statusCode ?? 0, found.headers)
        answer.flushHeaders()
        found.pipe(answer)
      }
    )
    passed.on("error", () => answer.destroy())
    answer.on("close", () => passed.destroy())
    asked.pipe(passed)
  })
  await once(door.listen(0, "127.0.0.1"), "listening")
  const { port } = door.address() as AddressInfo
  const names = [`127.0.0.1:${port}`, `localhost:${port}`]
  const serving = McpHttp.serve({
    open: (send) => McpServer.session(conformanceOptions(), send),
    port: 0,
    token: TOKEN,
    allowedHosts: names,
    allowedOrigins: names.map((name) => `http://${name}`)
  })
  const server = await Effect.runPromise(
    serving.pipe(
      Effect.provide(Layer.merge(conformanceRecords, Logger.remove(Logger.defaultLogger))),
      Scope.extend(scope)
    )
  )
  target = server.port
  url = `http://127.0.0.1:${port}/mcp`
  await Effect.runPromise(
    Scope.addFinalizer(
      scope,
      Effect.sync(() => {
        door.closeAllConnections()
        door.close()
      })
    )
  )
})

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

describe("the official checks", () => {
  it("are these, and each is either run or not served", async () => {
    const listed = [...(await run(["list", "--server"])).matchAll(/^ {2}- ([a-z0-9-]+)/gm)].map(
      ([, name]) => name
    )
    expect(listed.sort()).toEqual([...served, ...Object.keys(unserved)].sort())
  })

  it.each(served)("%s", async (scenario) => {
    const folder = mkdtempSync(join(tmpdir(), "bailiwick-conformance-"))
    try {
      const printed = await run(["server", "--url", url, "--scenario", scenario, "--output-dir", folder])
      const checks = checksIn(folder)
      expect(checks.length, printed).toBeGreaterThan(0)
      expect(
        checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO"),
        printed
      ).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

/** Own tools of a workspace over MCP: loaded by its installation, and what they print never stands between messages. */
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { readManifest, root } from "../../scripts/lib/project.js"
import { installed } from "../installed.js"
import { overHttp, overStdio } from "./mcpProcess.js"
import { Folder } from "./workspace.js"

const TOOLS = `
import { Tool } from "bailiwick"
import { Context, Effect, Layer, Schema } from "effect"
import { fork, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
class Greeting extends Context.Tag("app/Greeting")() {}
console.log("loaded")
export const layer = Layer.succeed(Greeting, { text: "hello" })
export const loud = Tool.make({
  name: "loud", description: "d", parameters: Schema.Struct({}), capabilities: {}, services: [Greeting],
  execute: () => Effect.gen(function* () {
    console.log("console")
    process.stdout.write("stdout\\n")
    yield* Effect.log("logged")
    yield* Tool.progress("half", { done: 1, total: 2 })
    return (yield* Greeting).text
  })
})
const inherited = { stdio: "inherit" }
const says = (text) => ["-e", "process.stdin.on('end', () => console.log('" + text + "')).resume()"]
export const parent = Tool.make({
  name: "parent", description: "d", parameters: Schema.Struct({}), capabilities: {},
  execute: () => Effect.promise(async () => {
    spawnSync(process.execPath, says("waited for"), inherited)
    await once(spawn(process.execPath, says("inherits"), { stdio: ["inherit", "inherit", "inherit"] }), "close")
    await once(spawn(process.execPath, says("numbers"), { stdio: [0, 1, 2] }), "close")
    await once(spawn(process.execPath, says("streams"), { stdio: [process.stdin, process.stdout, "ignore"] }), "close")
    writeFileSync("forked.cjs", "console.log('forked')")
    await once(fork("./forked.cjs"), "close")
    return "done"
  })
})
`

const space = async () => {
  const folder = new Folder({
    "package.json": '{ "type": "module" }',
    "bailiwick.yaml": "tools: [./a.js]",
    "a.js": TOOLS
  }).personality()
  mkdirSync(folder.path("node_modules"))
  symlinkSync(await installed(), folder.path("node_modules/bailiwick"))
  symlinkSync(join(root, "node_modules/effect"), folder.path("node_modules/effect"))
  return folder
}

const personality = ["--personality", "./personality"]

it("what a tool prints goes to standard error, over standard input and output", async () => {
  const { client, stderr } = await overStdio(await space(), personality)
  expect(client.getServerVersion()).toEqual({ name: "bailiwick", version: readManifest(root).version })
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("loud")
  const { content } = await client.callTool({ name: "loud", arguments: {} })
  expect(content).toEqual([{ type: "text", text: "hello" }])
  for (const text of ["loaded", "console", "stdout"]) await stderr.match(new RegExp(`^${text}$`, "m"))
  await client.close()
})

it("a child that a tool starts by itself neither writes between messages nor reads them", async () => {
  const { client, stderr } = await overStdio(await space(), personality)
  const garbled: Array<Error> = []
  client.onerror = (error) => garbled.push(error)
  expect((await client.callTool({ name: "parent", arguments: {} })).content).toEqual([
    { type: "text", text: "done" }
  ])
  for (const text of ["waited for", "inherits", "numbers", "streams", "forked"])
    await stderr.match(new RegExp(`^${text}$`, "m"))
  await client.ping()
  expect(garbled).toEqual([])
  await client.close()
})

it("progress comes before the answer, over HTTP", async () => {
  const server = await overHttp(await space(), personality)
  const { client } = await server.connect()
  const told: Array<unknown> = []
  const { content } = await client.callTool({ name: "loud", arguments: {} }, undefined, {
    onprogress: (event) => told.push(event)
  })
  expect(content).toEqual([{ type: "text", text: "hello" }])
  expect(told).toEqual([{ progress: 1, total: 2, message: "half" }])
  server.child.kill("SIGTERM")
  await server.end
  expect(server.stdout.text).toBe("")
})

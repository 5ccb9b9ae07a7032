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
import fs, { writeFileSync, writeSync } from "node:fs"
import { promisify } from "node:util"
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
export const direct = Tool.make({
  name: "direct", description: "d", parameters: Schema.Struct({}), capabilities: {},
  execute: () => Effect.promise(async () => {
    fs.writeSync(1, "by number\\n")
    fs.writeFileSync(1, "as a file\\n")
    await promisify(fs.write)(1, "promised\\n")
    writeSync(1, "imported\\n")
    fs.writevSync(1, [Buffer.from("in pieces\\n")])
    fs.createWriteStream("", { fd: 1 }).write("as a stream\\n")
    try { fs.appendFileSync("/dev/stdout", "by path\\n") } catch {}
    fs.createWriteStream("/dev/stdout").write("as a stream by path\\n")
    fs.createWriteStream("/dev/stdout", "utf8").write("in an encoding\\n")
    fs.writeFileSync(new URL("file:///dev/stdout"), "by address\\n")
    fs.writeFileSync(Buffer.from("/dev/stdout"), "by bytes\\n")
    fs.writeFileSync("/dev/./fd//1", "by another path\\n")
    fs.writeFileSync("/proc/" + process.pid + "/fd/1", "by process\\n")
    try { fs.writeSync(fs.openSync("/proc/self/fd/1", "a"), "opened\\n") } catch {}
    process.stdout.end("the last\\n")
    process.stdout.destroy()
    return "done"
  })
})
export const stray = Tool.make({
  name: "stray", description: "d", parameters: Schema.Struct({}), capabilities: {},
  execute: () => Effect.sync(() => {
    Promise.reject(new TypeError("the secret is 1234"))
    return "done"
  })
})
export const thrown = Tool.make({
  name: "thrown", description: "d", parameters: Schema.Struct({}), capabilities: {},
  execute: () => Effect.zipRight(
    Effect.sync(() => void setTimeout(() => { throw new RangeError("the secret is 1234") }, 0)),
    Effect.never
  )
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

it("what a tool writes to the number or the path of standard output goes to standard error", async () => {
  const { client, stderr } = await overStdio(await space(), personality)
  const garbled: Array<Error> = []
  client.onerror = (error) => garbled.push(error)
  expect((await client.callTool({ name: "direct", arguments: {} })).content).toEqual([
    { type: "text", text: "done" }
  ])
  for (const text of [
    "by number",
    "as a file",
    "promised",
    "imported",
    "in pieces",
    "as a stream",
    "by path",
    "as a stream by path",
    "in an encoding",
    "by address",
    "by bytes",
    "by another path",
    "by process",
    "the last"
  ])
    await stderr.match(new RegExp(`^${text}$`, "m"))
  await client.ping()
  expect(garbled).toEqual([])
  await client.close()
})

it("a promise of a tool that fails where nobody waits for it ends nothing, and what is thrown ends the server", async () => {
  const { client, stderr } = await overStdio(await space(), personality)
  expect((await client.callTool({ name: "stray", arguments: {} })).content).toEqual([
    { type: "text", text: "done" }
  ])
  await stderr.match(/failed where nothing waited for it \(TypeError\)/)
  expect((await client.callTool({ name: "loud", arguments: {} })).content).toEqual([
    { type: "text", text: "hello" }
  ])
  await expect(client.callTool({ name: "thrown", arguments: {} })).rejects.toThrow()
  await stderr.match(/failed where nothing waited for it \(RangeError\)/)
  expect(stderr.text).not.toContain("1234")
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

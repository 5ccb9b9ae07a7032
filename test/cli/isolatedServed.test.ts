/** Tools of a stranger's package where others call them: over MCP, by sessions that must not meet in one process. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { installed } from "../installed.js"
import { type Connected, overHttp, overStdio } from "./mcpProcess.js"
import { Strangers, toolText } from "./strangers.js"

const COUNTS = `let calls = 0
${toolText("counts", "() => Effect.sync(() => ++calls)")}
${toolText("prints", "() => Effect.sync(() => { process.stdout.write('{}'); process.stderr.write('{}'); return 'said' })")}
${toolText("leaves", "() => Effect.sync(() => process.exit(0))")}
${toolText("hidden", "() => Effect.succeed(1)", { more: "isAvailable: () => false," })}
${toolText("again", "() => Effect.succeed(1)", { capabilities: '{ storage: { scope: "session", kind: "kv" } }', more: "idempotent: true," })}
`

const space = async (per: "call" | "turn"): Promise<Strangers> => {
  const folder = new Strangers(`[{ module: stranger, per: ${per} }]`).package("stranger", COUNTS)
  symlinkSync(await installed(), folder.path("node_modules/bailiwick"))
  symlinkSync(join(root, "node_modules/effect"), folder.path("node_modules/effect"))
  mkdirSync(folder.path("home"))
  expect((await folder.bailiwick(["manifest"])).code).toBe(0)
  return folder
}

const personality = ["--personality", "./personality"]

const textOf = async ({ client }: Pick<Connected, "client">, name: string): Promise<string> => {
  const { content } = await client.callTool({ name, arguments: {} })
  return (content as ReadonlyArray<{ readonly text: string }>).map(({ text }) => text).join("")
}

it.each([
  ["call", ["1", "1"], "1"],
  ["turn", ["1", "2"], "1"]
] as const)(
  "each %s has a process, which one that leaves or prints costs nobody else",
  async (per, counted, after) => {
    const served = await overStdio(await space(per), personality)
    const garbled: Array<Error> = []
    served.client.onerror = (error) => garbled.push(error)
    const names = (await served.client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["counts", "prints", "leaves"]))
    expect([await textOf(served, "counts"), await textOf(served, "counts")]).toEqual(counted)
    expect(await textOf(served, "prints")).toBe("said")
    expect(await textOf(served, "hidden")).toMatch(/^not_available: /)
    expect(await textOf(served, "leaves")).toMatch(/^execution_failed: WORKER_ENDED: /)
    expect(await textOf(served, "counts")).toBe(after)
    expect(garbled).toEqual([])
    await served.client.close()
  }
)

it("what a tool says of being called again is in the lock, and clients are told", async () => {
  const folder = await space("call")
  const lock = JSON.parse(readFileSync(folder.path("bailiwick.lock.json"), "utf8"))
  expect(lock.tools).toMatchObject({ again: { idempotent: true, isolated: { says: { idempotent: true } } } })
  const { client } = await overStdio(folder, personality)
  const hints = (await client.listTools()).tools.map(({ annotations, name }) => [
    name,
    annotations?.idempotentHint
  ])
  expect(Object.fromEntries(hints)).toMatchObject({ again: true, counts: undefined })
  await client.close()
})

it("no two sessions have one process", async () => {
  const server = await overHttp(await space("turn"), personality)
  const [one, other] = [await server.connect(), await server.connect()]
  expect([await textOf(one, "counts"), await textOf(other, "counts")]).toEqual(["1", "1"])
  expect([await textOf(one, "counts"), await textOf(other, "counts")]).toEqual(["2", "2"])
  for (const { client } of [one, other]) await client.close()
})

/** The services of a team's own tools: built once in a command, released at its end however that comes, silent on secrets. */
import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { tool, Workspace } from "./ownModules.js"

class Db extends Context.Tag("test/Db")<Db, { readonly name: string }>() {}

const recording = (events: Array<string>, release: Effect.Effect<void> = Effect.void) =>
  Layer.scoped(
    Db,
    Effect.acquireRelease(
      Effect.sync(() => {
        events.push("acquired")
        return { name: "main" }
      }),
      () =>
        Effect.zipRight(
          release,
          Effect.sync(() => events.push("released"))
        )
    )
  )

const working = (events: Array<string>) => tool("work", () => Effect.sync(() => events.push("worked")))

describe("the layer of a module", () => {
  it("is built once for all calls and modules of a command, and released when they are done", async () => {
    const events: Array<string> = []
    const layer = recording(events)
    const space = new Workspace({
      "a.js": { work: working(events), layer },
      "b.js": { other: tool("other"), layer }
    })
    expect((await space.turn(["work", "other"])).code).toBe(0)
    expect(events).toEqual(["acquired", "worked", "released"])
  })

  it("may stand in a module of its own, which exports no tool", async () => {
    const events: Array<string> = []
    const space = new Workspace({ "a.js": { work: working(events) }, "db.js": { layer: recording(events) } })
    expect(await space.turn(["work"])).toMatchObject({ code: 0, stderr: "" })
    expect(events).toEqual(["acquired", "worked", "released"])
  })

  it("is not built for calls of built-in tools, nor by the doctor, nor to list all tools", async () => {
    const events: Array<string> = []
    const space = new Workspace({ "a.js": { work: working(events), layer: recording(events) } })
    await space.turn(["list_attachments"])
    await space.bailiwick(["doctor"])
    await space.bailiwick(["tools", "list"])
    expect(events).toEqual([])
    await space.bailiwick(["tools", "list", "--personality", "personality"])
    expect(events).toEqual(["acquired", "released"])
  })

  it("is released when a tool dies, and when the command is interrupted", async () => {
    const events: Array<string> = []
    const controller = new AbortController()
    const space = new Workspace({
      "a.js": {
        broken: tool("broken", () => Effect.die("x")),
        stuck: tool("stuck", () =>
          Effect.zipRight(
            Effect.sync(() => controller.abort()),
            Effect.never
          )
        ),
        layer: recording(events)
      }
    })
    expect((await space.turn(["broken"])).code).toBe(0)
    expect(events.splice(0)).toEqual(["acquired", "released"])
    expect(await space.turn(["stuck"], { signal: controller.signal })).toMatchObject({
      code: 130,
      stdout: ""
    })
    expect(events).toEqual(["acquired", "released"])
  })

  class DbError extends Error {
    readonly _tag = "DbError"
  }

  it.each<readonly [how: string, building: Effect.Effect<never, unknown>, name: string]>([
    ["fails", Effect.fail(new DbError("postgres://u:hunter22@db")), "DbError"],
    ["dies", Effect.die(new TypeError("hunter22")), "TypeError"],
    ["fails with what has no name", Effect.fail("hunter22"), "an error without a name"]
  ])("that %s is one sentence with its file, without its message", async (_how, effect, name) => {
    const events: Array<string> = []
    const space = new Workspace({
      "a.js": { work: working(events), layer: recording(events) },
      "b.js": { other: tool("other"), layer: Layer.effectDiscard(effect) }
    })
    const { code, stderr, stdout } = await space.turn(["work"])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toBe(
      `bailiwick: the layer of ${space.path("b.js")} cannot be built: it failed with ${name}, whose message may hold secrets and is not shown; build the layer in a test to see it\n`
    )
    expect(events.filter((one) => one === "acquired")).toEqual(
      events.filter((one) => one === "released").map(() => "acquired")
    )
    expect(events).not.toContain("worked")
  })

  it("that fails while it is released spoils no answer", async () => {
    const space = new Workspace({
      "a.js": { work: working([]), layer: recording([], Effect.die("hunter22")) }
    })
    const { code, stderr, stdout } = await space.turn(["work"])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).results).toHaveLength(1)
    expect(stderr).toBe(
      "a layer of the workspace's tools failed while it was released; what the command did is done\n"
    )
  })

  it("logs nothing between the lines of the document", async () => {
    const space = new Workspace({
      "a.js": { work: working([]), layer: Layer.effectDiscard(Effect.logError("loud")) }
    })
    const { stderr, stdout } = await space.turn(["work"])
    expect(stderr).toBe("")
    expect(JSON.parse(stdout).results).toHaveLength(1)
  })
})

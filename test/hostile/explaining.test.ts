/** The threat: an operator who is shown that a call would be refused, or allowed, and sees the other happen. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { agent, World } from "../registry/agentWorld.js"

const world = () =>
  new World({
    "agents/me": agent("capabilities: [agent.grant, {fs.read: {in: /home/u/p}}, records.read]"),
    "agents/bare": agent("capabilities: []"),
    "agents/rooted": agent("capabilities: []\nsandbox: ~/q")
  })

describe("explain of a grant", () => {
  it.effect.each([
    ["agents/bare", "fs.read"],
    ["agents/bare", "fs.delete"],
    ["agents/bare", "fs.read{in=~/p}"],
    ["agents/rooted", "fs.read"],
    ["agents/rooted", "proc.eval"],
    ["agents/bare", "records.read"]
  ] as const)("says of %s and %s what a run then does", ([target, spec]) =>
    Effect.gen(function* () {
      const args = { agent: target, grants: [spec] }
      const explained = yield* world().explain("agents/me", "grant_capability", args)
      const ran = yield* world().call("agents/me", "grant_capability", args)
      expect(explained.result.ok).toBe(ran.ok)
    })
  )
})

/** The threat: an argument that nobody thought of, which crashes the turn or reaches what it should not. */

import { describe, expect, it } from "@effect/vitest"
import { Builtin, Network, NetworkBackend, Process, ProcessBackend, Registry, ToolResult } from "bailiwick"
import { Context, Effect, FastCheck as fc, Logger, LogLevel, Schema } from "effect"
import { codePoint } from "../codePoints.js"
import { times } from "../deep.js"
import { policyOf, turnOf, world } from "./support.js"

const RUNS = { numRuns: times(400), seed: 7 }

const isResult = Schema.is(ToolResult.ToolResult)

const names = Builtin.builtins.map(({ name }) => name)

const oddText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 40 }),
  fc.constantFrom(
    "",
    ".",
    "..",
    "/",
    "~",
    "~/x",
    "/data/../etc",
    "%2e%2e",
    "a\u0000b",
    "\uD800",
    "file:///x",
    "a".repeat(5_000)
  ),
  fc.webUrl({ withQueryParameters: true, withFragments: true })
)

const oddArgs = fc.oneof(
  fc.anything({ maxDepth: 3, withNullPrototype: true }),
  fc.dictionary(
    fc.constantFrom(
      "path",
      "url",
      "command",
      "args",
      "key",
      "value",
      "ref",
      "pattern",
      "script",
      "cwd",
      "limit",
      "offset",
      "method",
      "headers"
    ),
    fc.oneof(oddText, fc.integer(), fc.boolean(), fc.array(oddText, { maxLength: 3 }), fc.constant(null))
  )
)

const policy = policyOf({
  files: { read: ["/data/"], write: ["/data/"], delete: ["/data/"] },
  network: { get: ["a.example", "*.b.example"], post: ["a.example"] },
  process: { exec: [{ argv: "git:*", in: "/work/" }] }
})

describe("generated arguments", () => {
  it.effect("always come to a typed result, and never to a defect of the registry", () =>
    Effect.gen(function* () {
      const registry = Registry.make(...Builtin.builtins)
      const turn = turnOf(policy)
      const calls = fc.sample(
        fc.record({ name: fc.oneof(fc.constantFrom(...names), oddText), args: oddArgs }),
        RUNS
      )
      const results = yield* registry.execute(
        turn,
        calls.map((call, i) => ({ id: String(i), ...call }))
      )
      expect(results).toHaveLength(RUNS.numRuns)
      for (const { result } of results) expect(isResult(result)).toBe(true)
    }).pipe(Effect.provide(world({ files: { "/data/x": "x" } })), Logger.withMinimumLogLevel(LogLevel.None))
  )

  it.effect("URLs reach the backend only for hosts and methods that are allowed", () => {
    const sent: Array<string> = []
    const backend = NetworkBackend.fromOperations(
      Network.memory((url, { method }) => {
        sent.push(`${method} ${url}`)
        return "ok"
      })
    )
    const host = fc.oneof(
      fc.constantFrom(
        "a.example",
        "A.Example.",
        "x.b.example",
        "b.example",
        "evil.example",
        "a.example.evil.net"
      ),
      fc.domain(),
      fc.ipV4(),
      oddText
    )
    const url = fc
      .tuple(
        fc.constantFrom("https://", "https://", "http://", "//", "", "ftp://", "https:\\"),
        fc.constantFrom("", "", "u:p@", "a.example@"),
        host,
        fc.constantFrom("", "/", "/", ":8443/", "\\"),
        oddText
      )
      .map((parts) => parts.join(""))
    return Effect.gen(function* () {
      const registry = Registry.make(...Builtin.builtins)
      const calls = fc.sample(
        fc.record({ url, method: fc.constantFrom("GET", "POST", "DELETE", "get", "TRACE", "G\u0130T") }),
        RUNS
      )
      yield* registry.execute(
        turnOf(policy),
        calls.map((args, i) => ({ id: String(i), name: "web_fetch", args }))
      )
      expect(sent.length).toBeGreaterThan(times(3))
      for (const line of sent) {
        expect(line).toMatch(
          /^((GET|POST) https?:\/\/a\.example\.?[:/]|GET https?:\/\/[a-z0-9._-]+\.b\.example\.?[:/])/
        )
        expect(line).not.toContain("@a.example/")
      }
    }).pipe(
      Effect.provide(Context.add(world(), NetworkBackend, backend)),
      Logger.withMinimumLogLevel(LogLevel.None)
    )
  })

  it.effect("commands reach the backend only by the name that is allowed, word for word", () => {
    const ran: Array<ReadonlyArray<string>> = []
    const backend = ProcessBackend.fromOperations(
      Process.memory((binary, args) => {
        ran.push([binary, ...args])
        return ""
      })
    )
    return Effect.gen(function* () {
      const registry = Registry.make(...Builtin.builtins)
      const calls = fc.sample(
        fc.record({
          command: fc.oneof(
            fc.constantFrom("git", "git ", "GIT", "/usr/bin/git", "git;id", "./git", "sh"),
            oddText
          ),
          args: fc.array(oddText, { maxLength: 4 })
        }),
        RUNS
      )
      yield* registry.execute(
        turnOf(policyOf({ process: { exec: [{ argv: "git:*", in: "/work/" }] } }, { asDeclared: [] })),
        calls.map((args, i) => ({ id: String(i), name: "run_command", args }))
      )
      expect(ran.length).toBeGreaterThan(times(5))
      expect(new Set(ran.map(([binary]) => binary))).toEqual(new Set(["git"]))
      const given = new Set(calls.map(({ args }) => JSON.stringify(args)))
      for (const [, ...args] of ran) expect(given.has(JSON.stringify(args))).toBe(true)
    }).pipe(
      Effect.provide(Context.add(world(), ProcessBackend, backend)),
      Logger.withMinimumLogLevel(LogLevel.None)
    )
  })
})

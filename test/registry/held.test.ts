/**
 * The threat: a command that must be held by the kernel, and runs where nothing holds it. What a backend says of itself
 * is here made up; the real one is asked elsewhere.
 */
import { describe, expect, it } from "@effect/vitest"
import { Authority, Builtin, Manifest, Policy, Process, ProcessBackend, Registry, Tool } from "bailiwick"
import { Context, Effect, Schema } from "effect"
import type * as Sandbox from "../../src/policy/Sandbox.js"
import { callOf, policyOf, turnOf, world } from "./support.js"

const runner = Tool.make({
  name: "runner",
  description: "runs git",
  parameters: Schema.Struct({}),
  capabilities: { process: { allowedBinaries: ["git"] } },
  execute: () => Effect.map(Process.spawn("git"), ({ stdout }) => stdout)
})

const idle = Tool.make({
  name: "idle",
  description: "runs nothing",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () => Effect.succeed("done")
})

/** As the layers say it, in short. */
const unheld = {
  not_installed: ["bwrap is not installed", "install it: 'apt install bubblewrap'"],
  too_old: ["bwrap 0.4.0 is too old", "install 0.8 or newer"],
  setuid: ["bwrap is setuid", "take that bit away"],
  not_trusted: ["bwrap can be replaced by others", "install the distribution's"],
  forbidden: ["the kernel forbids user namespaces", "sysctl -w kernel.unprivileged_userns_clone=1"],
  in_container: ["this container forbids it", "allow it there"],
  unsupported: [
    "there is no sandbox for this system",
    "grant commands only to whom the machine may be trusted"
  ]
} as const satisfies Record<ProcessBackend.Unheld, readonly [string, string]>

const kinds = Object.keys(unheld) as ReadonlyArray<ProcessBackend.Unheld>

const holdingOf = (kind: ProcessBackend.Unheld): ProcessBackend.Holding => ({
  held: false,
  isExpected: kind !== "unsupported",
  kind,
  why: unheld[kind][0],
  remedy: unheld[kind][1]
})

const run = (tool: Tool.Any, sandbox: Sandbox.Given | undefined, holding: ProcessBackend.Holding) => {
  let started = 0
  const spawn = () => {
    started++
    return "ran"
  }
  return Registry.make(tool)
    .execute(turnOf(policyOf({}, { sandbox })), [callOf(tool)])
    .pipe(
      Effect.map(([answer]) => ({ result: answer?.result, started })),
      Effect.provide(world({ holding, spawn }))
    )
}

describe("a command that must be held", () => {
  it.effect("runs where something holds it, whatever the mode", () =>
    Effect.gen(function* () {
      for (const sandbox of ["required", "preferred", "off", undefined] as const) {
        const { result } = yield* run(runner, sandbox, { held: true, by: "bwrap 0.8.0" })
        expect(result).toEqual({ ok: true, value: "ran" })
      }
    })
  )

  it.effect.each(kinds)("is not available where nothing does, with why and what to do: %s", (kind) =>
    Effect.gen(function* () {
      for (const sandbox of ["required", { mode: "required", limits: { processes: 4 } }] as const) {
        const { result, started } = yield* run(runner, sandbox, holdingOf(kind))
        expect(result).toEqual({
          ok: false,
          code: "not_available",
          error: `Tool runner runs commands, which must be held by the kernel, and ${unheld[kind][0]}; ${unheld[kind][1]}, or write 'sandbox: off' in bailiwick.yaml to run them unheld`
        })
        expect(started).toBe(0)
      }
    })
  )

  it.effect.each(kinds)("unwritten, it must be where it could be: %s", (kind) =>
    Effect.gen(function* () {
      const { started } = yield* run(runner, undefined, holdingOf(kind))
      expect(started).toBe(kind === "unsupported" ? 1 : 0)
      const limited = yield* run(runner, { limits: { seconds: 3 } }, holdingOf(kind))
      expect(limited.started).toBe(kind === "unsupported" ? 1 : 0)
    })
  )

  it.effect.each(kinds)("runs unheld where a policy says so: %s", (kind) =>
    Effect.gen(function* () {
      for (const sandbox of ["preferred", "off"] as const) {
        expect((yield* run(runner, sandbox, holdingOf(kind))).started).toBe(1)
      }
    })
  )

  it.effect("takes no other tool with it", () =>
    Effect.gen(function* () {
      const { result } = yield* run(idle, "required", holdingOf("not_installed"))
      expect(result).toEqual({ ok: true, value: "done" })
    })
  )

  it.effect("is held as strictly as the strictest of two policies says", () =>
    Effect.gen(function* () {
      const both = Policy.meet(policyOf({}, { sandbox: "off" }), policyOf({}, { sandbox: "required" }))
      const [answer] = yield* Registry.make(runner)
        .execute(turnOf(both), [callOf(runner)])
        .pipe(Effect.provide(world({ holding: holdingOf("setuid") })))
      expect(answer?.result).toMatchObject({ ok: false, code: "not_available" })
    })
  )
})

describe("how a command ran", () => {
  it.effect("is told in the answer of the built-in tools, beside what is to be known of its output", () =>
    Effect.gen(function* () {
      const policy = Policy.make({ authority: Authority.everything })
      const registry = Registry.make(Builtin.runCommand, Builtin.runShell)
      const [command, shell] = yield* registry
        .execute(turnOf(policy), [
          callOf("run_command", { command: "git" }),
          callOf("run_shell", { script: "git" }, "c2")
        ])
        .pipe(
          Effect.provide(
            world({
              spawn: (binary) =>
                binary === "sh"
                  ? { notes: ["nothing held it"], stdout: "\ufffd", stdoutBytes: Uint8Array.of(255) }
                  : { notes: ["it met its limit of 4 processes", "a.sh was taken away"] }
            })
          )
        )
      expect(command?.result).toMatchObject({
        ok: true,
        value: { exitCode: 0, note: "it met its limit of 4 processes; a.sh was taken away" }
      })
      expect(command?.result).not.toHaveProperty("value.notes")
      expect(shell?.result).toMatchObject({
        value: { note: expect.stringMatching(/^stdout is not UTF-8.*; nothing held it$/) }
      })
    })
  )
})

describe("network for children alone", () => {
  const fetcher = Tool.make({
    name: "fetcher",
    description: "has git fetch",
    parameters: Schema.Struct({}),
    capabilities: {
      process: { allowedBinaries: ["git"] },
      network: { allowedHosts: ["git.example.com"], for: "children" }
    },
    execute: () => Effect.map(Process.spawn("git"), ({ stdout }) => stdout)
  })
  const git = { process: { exec: [{ argv: "git:*", in: "/" }] } }

  it.effect("needs no network backend, and no host of the policy", () =>
    Effect.gen(function* () {
      const backends = Context.pick(ProcessBackend)(world({ spawn: () => "ran" }))
      const registry = Registry.make(fetcher)
      const turn = turnOf(policyOf(git, { asDeclared: [] }))
      expect(registry.validate(turn.policy)).toEqual([])
      expect(registry.plan(turn.policy, undefined).leaves(fetcher)).toBe(true)
      const [answer] = yield* registry.execute(turn, [callOf(fetcher)]).pipe(Effect.provide(backends))
      expect(answer?.result).toEqual({ ok: true, value: "ran" })
    })
  )

  it("is met with the policy, and is what a child of the tool may reach", () => {
    const plan = Registry.make(fetcher).plan(
      policyOf({ ...git, network: { get: ["*.example.com", "other.org"] } }, { asDeclared: [] }),
      undefined
    )
    const planned = plan.of(fetcher)
    expect(planned._tag === "Right" && planned.right.authority.toJSON()).toMatchObject({
      network: { get: ["git.example.com"] }
    })
  })

  it.effect("gives the tool itself nothing, whatever a cast says", () =>
    Effect.gen(function* () {
      const sly = Tool.make({
        name: "sly",
        description: "takes what it is not given",
        parameters: Schema.Struct({}),
        capabilities: {
          process: { allowedBinaries: ["*"] },
          network: { allowedHosts: ["*"], for: "children" }
        },
        execute: () =>
          Effect.map(Effect.context<never>(), ({ unsafeMap }) =>
            [...unsafeMap.keys()].filter((key) => /bailiwick\/(?:Network|Process)/.test(key))
          )
      })
      const [answer] = yield* Registry.make(sly)
        .execute(turnOf(), [callOf(sly)])
        .pipe(Effect.provide(world()))
      expect(answer?.result).toEqual({ ok: true, value: ["bailiwick/Process"] })
    })
  )

  const plain = { name: "childless", description: "none", parameters: Schema.Struct({}) } as const

  it("is offered to nobody by itself: without a process there are no children", () => {
    expect(() =>
      Tool.make({
        ...plain,
        capabilities: { network: { allowedHosts: ["*"], for: "children" } },
        execute: () => Effect.void
      })
    ).toThrow("has a network for children, and no process that would start any")
    expect(() =>
      Tool.make({
        ...plain,
        capabilities: { network: { allowedHosts: ["*"], for: "me" } },
        execute: () => Effect.void
      } as never)
    ).toThrow("capabilities.network.for: expected one of children")
  })

  it("is another thing to a lock than network of the tool's own", () => {
    const own = Tool.make({
      name: "fetcher",
      description: "has git fetch",
      parameters: Schema.Struct({}),
      capabilities: {
        process: { allowedBinaries: ["git"] },
        network: { allowedHosts: ["git.example.com"] }
      },
      execute: () => Effect.map(Process.spawn("git"), ({ stdout }) => stdout)
    })
    const [children, itself] = [Manifest.of(Registry.make(fetcher)), Manifest.of(Registry.make(own))]
    const line = { key: "network.allowedHosts", value: "git.example.com" }
    expect(Manifest.compare(children, itself)).toMatchObject({
      passes: false,
      changes: [{ kind: "widened", more: [line], less: [] }]
    })
    expect(Manifest.compare(itself, children)).toMatchObject({
      passes: true,
      changes: [{ kind: "narrowed", more: [], less: [line] }]
    })
    expect(Manifest.parseSync(Manifest.print(children))).toEqual(children)
  })
})

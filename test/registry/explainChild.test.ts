/** What a command would see is told before it runs, by the backend that would carry it out; nothing is started for it. */
import { describe, expect, it } from "@effect/vitest"
import { Builtin, ProcessBackend, Registry } from "bailiwick"
import { Context, Effect, Stream } from "effect"
import type { Plan } from "../../src/policy/confinement/Plan.js"
import { callOf, policyOf, turnOf, world } from "./support.js"

const plan: Plan = {
  mounts: [
    { path: "/work", kind: "tree", access: "read" },
    { path: "/work/out", kind: "tree", access: "write" },
    { path: "/data/x.csv", kind: "file", access: "read" }
  ],
  covers: [
    { path: "/work/.env", kind: "file", as: "hidden", reason: "secrets" },
    { path: "/work/out/.git/hooks", kind: "directory", as: "frozen", reason: "it runs later" }
  ],
  links: [["/w", "/work"]],
  cwd: "/work",
  binary: "/usr/bin/git",
  reaches: true,
  doors: [{ host: "git.example.com", port: 443 }],
  leftOut: [{ what: "read /work/**/*.md", why: "it gives more than 4096 files" }]
}

const started = Effect.dieMessage("something was started")

const backends = (holding: ProcessBackend.Holding) =>
  Context.add(
    world(),
    ProcessBackend,
    ProcessBackend.guarded({
      holding: Effect.succeed(holding),
      pin: (name) => Effect.succeed({ name, found: name, path: `/usr/bin/${name}`, way: [], identity: name }),
      pinShell: Effect.succeed({ name: "sh", found: "sh", path: "/bin/sh", way: [], identity: "sh" }),
      sees: (proof, { path }) =>
        Effect.succeed({
          plan: { ...plan, binary: path },
          limits: { processes: 512, ...proof.held.sandbox.limits }
        }),
      spawn: () => started,
      stream: () => Stream.fromEffect(started),
      start: () => Stream.fromEffect(started),
      shell: () => started
    })
  )

const granted = {
  process: { exec: [{ argv: "git:*", in: "/work/" }], eval: ["/work/"] },
  network: { get: ["git.example.com", "*.example.org"] }
}

const registry = Registry.make(Builtin.runCommand, Builtin.runShell, Builtin.webFetch)

const explain = (
  call: ReturnType<typeof callOf>,
  sandbox?: Parameters<typeof policyOf>[1],
  holding: ProcessBackend.Holding = { held: true }
) =>
  registry
    .explain(turnOf(policyOf(granted, { asDeclared: [], ...sandbox })), call)
    .pipe(Effect.provide(backends(holding)))

const git = callOf("run_command", { command: "git", args: ["log"] })

describe("what a command would see", () => {
  it.effect("is told in words, with what bounds it and what it does not get", () =>
    Effect.gen(function* () {
      const { result } = yield* explain(git, { sandbox: { limits: { memoryBytes: 1024 ** 3, seconds: 5 } } })
      expect(result).toMatchObject({
        ok: true,
        value: {
          child: [
            "is held by the kernel (sandbox: required)",
            "reads /work/, /data/x.csv, beside the system's programs",
            "writes /work/out/, beside a /tmp of its own",
            "does not see /work/.env, which no policy opens",
            "cannot change /work/out/.git/hooks, which no policy opens",
            "reaches *.example.org, git.example.com; each connection is asked about",
            "has at most 512 processes, 1 GiB of memory, 5 seconds",
            "does not get 'read /work/**/*.md', although it is permitted: it gives more than 4096 files"
          ]
        }
      })
    })
  )

  it.effect("is the plan that would be carried out, for commands and for scripts", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* explain(git)
      expect(sandbox).toEqual({
        ...plan,
        mode: "required",
        held: true,
        hosts: ["*.example.org", "git.example.com"],
        limits: { processes: 512 }
      })
      const script = yield* explain(callOf("run_shell", { script: "git log | head" }))
      expect(script.sandbox).toMatchObject({ binary: "/bin/sh", mounts: plan.mounts })
    })
  )

  it.effect("is everything where nothing holds it, and the reason is told", () =>
    Effect.gen(function* () {
      const off = yield* explain(git, { sandbox: "off" })
      expect(off.sandbox).toMatchObject({ mode: "off", held: false, why: "the policy says 'sandbox: off'" })
      const missing = {
        held: false,
        isExpected: true,
        why: "bwrap is not installed",
        remedy: "install it"
      } as const
      const preferred = yield* explain(git, { sandbox: "preferred" }, missing)
      expect(preferred.sandbox).toMatchObject({
        mode: "preferred",
        held: false,
        why: "bwrap is not installed"
      })
      expect(preferred.result).toMatchObject({
        value: {
          child: [
            "is not held by the kernel: bwrap is not installed (sandbox: preferred)",
            "sees, writes and reaches whatever the user of this program may"
          ]
        }
      })
      const elsewhere = yield* explain(git, {}, { ...missing, isExpected: false })
      expect(elsewhere.sandbox).toMatchObject({ mode: "preferred", held: false })
      const required = yield* explain(git, {}, missing)
      expect(required).toMatchObject({ result: { ok: false, code: "not_available" } })
      expect(required.sandbox).toBeUndefined()
    })
  )

  it.effect("is told of commands alone, and of none that is refused", () =>
    Effect.gen(function* () {
      const refused = yield* explain(callOf("run_command", { command: "curl" }))
      expect([refused.result.ok, refused.sandbox]).toEqual([false, undefined])
      const fetch = yield* explain(callOf("web_fetch", { url: "https://git.example.com/" }))
      expect([fetch.result.ok, fetch.sandbox]).toEqual([true, undefined])
      expect(fetch.result).not.toHaveProperty("value.child")
    })
  )
})

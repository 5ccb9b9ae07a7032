/** Where a command runs is part of what was permitted: not the name of a directory, but the directory. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { enter } from "../../../src/layers/node/process/directory.js"
import { ask, holder } from "../../../src/policy/gate/Asking.js"
import * as Request from "../../../src/policy/lattice/Request.js"
import { directory, ear, messageOf, open, sh, unheld, world } from "./harness.js"

const pwd = (cwd?: string) => ({ binary: "pwd", args: ["-P"], ...(cwd === undefined ? {} : { cwd }) })

const descriptors = () => readdirSync("/proc/self/fd").length

describe("the directory of a child", () => {
  it.scoped("is the working directory, or one below that is named", () =>
    Effect.gen(function* () {
      const { operations, root } = yield* world()
      mkdirSync(`${root}/sub`)
      expect((yield* operations.spawn(pwd())).stdout).toBe(`${root}\n`)
      expect((yield* operations.spawn(pwd("sub"))).stdout).toBe(`${root}/sub\n`)
      expect((yield* operations.spawn(pwd(`${root}/./sub/`))).stdout).toBe(`${root}/sub\n`)
    })
  )

  it.scoped("K15/P16: outside of what is permitted is refused", () =>
    Effect.gen(function* () {
      const { operations, root } = yield* world()
      const elsewhere = yield* directory
      for (const cwd of [elsewhere, "/", "/etc", `${root}-x`, `${root}/..`, "..", "~"]) {
        expect(yield* messageOf(operations.spawn(pwd(cwd))), cwd).toMatch(/^CWD_NOT_REACHABLE: /)
      }
      expect(yield* messageOf(operations.shell({ script: "pwd", cwd: elsewhere }))).toMatch(
        /^SHELL_NOT_ALLOWED: /
      )
    })
  )

  it.scoped("K15: a link that leads out is refused, and one that stays is followed", () =>
    Effect.gen(function* () {
      const { operations, root } = yield* world()
      const elsewhere = yield* directory
      mkdirSync(`${root}/sub`)
      mkdirSync(`${elsewhere}/sub`)
      symlinkSync(elsewhere, `${root}/out`)
      symlinkSync(`${root}/sub`, `${root}/in`)
      for (const cwd of ["out", "out/sub"]) {
        expect(yield* messageOf(operations.spawn(pwd(cwd)))).toBe(
          `CWD_NOT_REACHABLE: '${root}/${cwd}' resolves outside where this may run, through a symbolic link; have the policy name the real directory, or use one without symbolic links`
        )
        expect(yield* messageOf(operations.shell({ script: "pwd", cwd }))).toMatch(/^CWD_NOT_REACHABLE: /)
      }
      expect((yield* operations.spawn(pwd("in"))).stdout).toBe(`${root}/sub\n`)
    })
  )

  it.scoped("K15/F46: a link that leads out answers the same whatever it leads to, and says not where", () =>
    Effect.gen(function* () {
      const { as, root } = yield* world()
      const elsewhere = yield* directory
      const { heard, observe } = ear()
      const operations = as({ observe })
      mkdirSync(`${elsewhere}/there`)
      writeFileSync(`${elsewhere}/file`, "")
      symlinkSync("loop", `${elsewhere}/loop`)
      const answers = new Set<string>()
      for (const name of ["there", "none", "file", "loop", "none/below", "file/below"]) {
        symlinkSync(`${elsewhere}/${name}`, `${root}/${name.replace("/", "-")}`)
        const cwd = name.replace("/", "-")
        for (const operation of [operations.spawn(pwd(cwd)), operations.shell({ script: "pwd", cwd })]) {
          const error = yield* Effect.flip(operation)
          expect(error.denial).toMatchObject({ code: "CWD_NOT_REACHABLE", tool: "tool", held: [] })
          expect(JSON.stringify(error)).not.toContain(elsewhere)
          answers.add(error.message.replace(`${root}/${cwd}`, "<cwd>"))
        }
      }
      symlinkSync(elsewhere, `${root}/out`)
      for (const cwd of ["out/there", "out/none"]) {
        answers.add((yield* messageOf(operations.spawn(pwd(cwd)))).replace(`${root}/${cwd}`, "<cwd>"))
      }
      expect(answers.size).toBe(1)
      expect(heard.length).toBe(14)
      expect(heard[0]?.asked).toBe(`exec pwd with 1 argument in ${elsewhere}/there`)
    })
  )

  it.scoped("K15: a link that goes out and comes back tells nothing of what it passes", () =>
    Effect.gen(function* () {
      const { operations, root } = yield* world()
      const elsewhere = yield* directory
      mkdirSync(`${root}/real`)
      mkdirSync(`${elsewhere}/there`)
      for (const name of ["there", "none"]) {
        symlinkSync(`${elsewhere}/${name}/../..${root.slice(root.lastIndexOf("/"))}/real`, `${root}/${name}`)
        expect((yield* operations.spawn(pwd(name))).stdout).toBe(`${root}/real\n`)
      }
    })
  )

  it.scoped("K15: that is missing, or a file, or a pipe, is refused alike", () =>
    Effect.gen(function* () {
      const { operations, root } = yield* world()
      writeFileSync(`${root}/file`, "")
      yield* operations.spawn({ binary: "mkfifo", args: ["pipe"] })
      for (const name of ["missing", "file", "pipe", "file/below"]) {
        expect(yield* messageOf(operations.spawn(pwd(name)))).toBe(
          `CWD_NOT_REACHABLE: '${root}/${name}' is not a directory that can be entered; name one that is`
        )
      }
    })
  )

  it.scoped("K15: that is swapped for a link after it was checked is still the one that was checked", () =>
    Effect.gen(function* () {
      const { backend, root } = yield* world()
      const elsewhere = yield* directory
      mkdirSync(`${root}/sub`)
      const asked = Request.exec(["pwd"], `${root}/sub`)
      const proof = Either.getOrThrow(ask(holder({ authority: open(root), backend }), asked))
      const entered = Either.getOrThrow(enter(proof))
      renameSync(`${root}/sub`, `${root}/sub-moved`)
      symlinkSync(elsewhere, `${root}/sub`)
      const { stdout } = spawnSync("pwd", { cwd: entered.at, encoding: "utf8" })
      entered.close()
      expect(stdout).toBe(`${root}/sub-moved\n`)
    })
  )

  it.scoped("is not held open longer than it takes to get there", () =>
    Effect.gen(function* () {
      const { as, operations, root } = yield* world()
      const bare = as({ sandbox: unheld })
      yield* operations.spawn(pwd())
      const before = descriptors()
      for (let i = 0; i < 5; i++) {
        yield* operations.spawn(pwd())
        yield* Effect.flip(operations.spawn(pwd("missing")))
        yield* Effect.flip(operations.spawn(pwd("/etc")))
        yield* bare.spawn(pwd())
      }
      symlinkSync("/etc", `${root}/out`)
      yield* Effect.flip(operations.spawn(pwd("out")))
      expect(descriptors()).toBeLessThanOrEqual(before)
    })
  )

  it.scoped("P15: a repository's own idea of a monitor is not started", () =>
    Effect.gen(function* () {
      const { operations, root } = yield* world()
      yield* operations.spawn({ binary: "git", args: ["init", "-q"] })
      const monitored = (value: string) => `[core]\n\tfsmonitor = "${value}"\n`
      writeFileSync(`${root}/.git/config`, monitored(`touch ${root}/started; true`), { flag: "a" })
      const { exitCode } = yield* operations.spawn({ binary: "git", args: ["status", "--short"] })
      expect(exitCode).toBe(0)
      expect(existsSync(`${root}/started`)).toBe(false)
      // And it would have been.
      yield* operations.spawn(sh("unset GIT_CONFIG_COUNT; git status --short"))
      expect(existsSync(`${root}/started`)).toBe(true)
      rmSync(`${root}/started`)
    })
  )
})

/** A name stands for one file: the one that the operator's path led to when it was first needed, and no other. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { scoped } from "../../../src/capabilities/process/ScopedProcess.js"
import { ask, holder } from "../../../src/policy/gate/Asking.js"
import type { Authority } from "../../../src/policy/lattice/Authority.js"
import * as Request from "../../../src/policy/lattice/Request.js"
import { authority, directory, ear, held, messageOf, open, script, world } from "./harness.js"

const all = (root: string, write: ReadonlyArray<string>): Authority =>
  authority({ process: { exec: [{ argv: "*", in: `${root}/` }] }, files: { write: [...write] } })

const greeting = { binary: "greet", args: [] }

describe("a binary", () => {
  it.scoped("is looked for on the operator's path, in order, among executable files only", () =>
    Effect.gen(function* () {
      const bin = yield* directory
      for (const name of ["a", "b", "c", "d"]) mkdirSync(`${bin}/${name}`)
      mkdirSync(`${bin}/a/greet`)
      writeFileSync(`${bin}/b/greet`, "#!/bin/sh\necho not executable\n")
      symlinkSync(`${bin}/nowhere`, `${bin}/c/greet`)
      script(`${bin}/d/greet`, "echo hello")
      const path = [
        "relative",
        ".",
        "",
        `${bin}/missing`,
        ...["a", "b", "c", "d"].map((at) => `${bin}/${at}`)
      ]
      const { backend, operations } = yield* world({ path: path.join(":") })
      expect((yield* operations.spawn(greeting)).stdout).toBe("hello\n")
      expect(yield* backend.pin("greet")).toMatchObject({ found: `${bin}/d/greet`, path: `${bin}/d/greet` })
    })
  )

  it.scoped("may be named by its full path, in its one spelling", () =>
    Effect.gen(function* () {
      const bin = yield* directory
      const greet = script(`${bin}/greet`, "echo hello")
      const { operations } = yield* world({ path: "" })
      expect((yield* operations.spawn({ binary: greet, args: [] })).stdout).toBe("hello\n")
      for (const binary of [
        "greet",
        "./greet",
        `${bin}/../x/greet`,
        `${bin}//greet`,
        `${bin}/`,
        bin,
        ".",
        ".."
      ]) {
        expect(yield* messageOf(operations.spawn({ binary, args: [] }))).toBe(
          `BINARY_NOT_FOUND: '${binary}' is no executable file on the operator's PATH; install it, or declare and call it by its full path`
        )
      }
    })
  )

  const changes: ReadonlyArray<readonly [string, (bin: string) => void]> = [
    [
      "another file in its place",
      (bin) => {
        script(`${bin}/other`, "echo other")
        renameSync(`${bin}/other`, `${bin}/real`)
      }
    ],
    ["other contents", (bin) => script(`${bin}/real`, "echo other and longer")],
    ["a later time", (bin) => utimesSync(`${bin}/real`, 1e9, 1e9)],
    ["nothing in its place", (bin) => unlinkSync(`${bin}/real`)],
    [
      "its link elsewhere",
      (bin) => {
        script(`${bin}/other`, "echo other")
        unlinkSync(`${bin}/greet`)
        symlinkSync(`${bin}/other`, `${bin}/greet`)
      }
    ],
    [
      "a link on the way elsewhere",
      (bin) => {
        mkdirSync(`${bin}/elsewhere`)
        script(`${bin}/elsewhere/greet`, "echo other")
        unlinkSync(`${bin}/current`)
        symlinkSync(`${bin}/elsewhere`, `${bin}/current`)
      }
    ],
    [
      "its link to a copy while the file is replaced",
      (bin) => {
        renameSync(`${bin}/real`, `${bin}/moved`)
        script(`${bin}/real`, "echo other")
        unlinkSync(`${bin}/greet`)
        symlinkSync(`${bin}/moved`, `${bin}/greet`)
      }
    ]
  ]

  it.scoped.each(changes.map(([name, change]) => ({ name, change })))(
    "P28: with $name is refused from then on",
    ({ change }) =>
      Effect.gen(function* () {
        const bin = yield* directory
        script(`${bin}/real`, "echo hello")
        symlinkSync(`${bin}/real`, `${bin}/greet`)
        symlinkSync(bin, `${bin}/current`)
        const { heard, observe } = ear()
        const { as } = yield* world({ path: `${bin}/current` })
        const operations = as({ observe })
        expect((yield* operations.spawn(greeting)).stdout).toBe("hello\n")
        change(bin)
        const error = yield* Effect.flip(operations.spawn(greeting))
        expect(error.message).toBe(
          "BINARY_NOT_ALLOWED: 'greet' is no longer the file that it was when it was looked up; start another turn if it was updated on purpose"
        )
        expect(error.denial).toMatchObject({
          code: "BINARY_NOT_ALLOWED",
          capability: "process.exec",
          tool: "tool",
          remedy: "start another turn if it was updated on purpose"
        })
        expect(heard).toEqual([error.denial])
      })
  )

  it.scoped("P29/P20: that the tool could write, or lead elsewhere, is refused", () =>
    Effect.gen(function* () {
      const bin = yield* directory
      mkdirSync(`${bin}/store/v1`, { recursive: true })
      mkdirSync(`${bin}/links`)
      script(`${bin}/store/v1/greet`, "echo hello")
      symlinkSync(`${bin}/store/v1`, `${bin}/links/current`)
      symlinkSync(`${bin}/links/current/greet`, `${bin}/greet`)
      const { backend, root } = yield* world({ path: bin })
      const spawning = (write: ReadonlyArray<string>) =>
        scoped(holder({ sandbox: held, authority: all(root, write) }), { workdir: root }, backend).spawn(
          greeting
        )
      for (const write of [
        `${bin}/greet`,
        `${bin}/store/v1/greet`,
        `${bin}/store/v1/`,
        `${bin}/store/v1`,
        `${bin}/store`,
        `${bin}/links/current`,
        `${bin}/links/`,
        `${bin}/links`,
        `${bin}/*`,
        bin,
        `${bin}/`,
        "/"
      ]) {
        expect(yield* messageOf(spawning([write])), write).toBe(
          "BINARY_NOT_ALLOWED: greet is a file that this tool may write, or lies behind one; keep commands out of its write reach"
        )
      }
      const beside = yield* spawning([`${root}/`, `${bin}/store/v2/`, `${bin}/store/v1/other`])
      expect(beside.stdout).toBe("hello\n")
    })
  )

  it.scoped("P29: that one tool has looked up is asked about again for another", () =>
    Effect.gen(function* () {
      const bin = yield* directory
      script(`${bin}/greet`, "echo hello")
      const { backend, root } = yield* world({ path: bin })
      const pins = new Map()
      const reader = scoped(
        holder({ sandbox: held, authority: all(root, []) }),
        { workdir: root },
        backend,
        pins
      )
      const writer = scoped(
        holder({ sandbox: held, authority: all(root, [`${bin}/`]) }),
        { workdir: root },
        backend,
        pins
      )
      expect((yield* reader.spawn(greeting)).stdout).toBe("hello\n")
      expect(yield* messageOf(writer.spawn(greeting))).toMatch(/^BINARY_NOT_ALLOWED: /)
    })
  )

  it.scoped("that was not looked up here, or for another command, is not started", () =>
    Effect.gen(function* () {
      const { backend, root } = yield* world()
      const proof = Either.getOrThrow(
        ask(holder({ sandbox: held, authority: open(root), backend }), Request.exec(["echo", "x"], root))
      )
      const shell = Either.getOrThrow(
        ask(holder({ sandbox: held, authority: open(root), backend }), Request.shell(root))
      )
      const reading = Either.getOrThrow(
        ask(holder({ authority: authority({ files: { read: ["/"] } }), backend }), Request.file("read", root))
      )
      const echo = yield* backend.pin("echo")
      const env = yield* backend.pin("env")
      expect((yield* backend.spawn(proof, echo, {})).stdout).toBe("x\n")
      for (const wrong of [
        backend.spawn(proof, { ...echo }, {}),
        backend.spawn(proof, env, {}),
        backend.spawn(shell, echo, {}),
        backend.spawn(reading, echo, {}),
        backend.shell(proof, echo, "x", {}),
        backend.shell(reading, echo, "x", {})
      ]) {
        expect(yield* messageOf(wrong)).toBe(
          "BINARY_NOT_ALLOWED: the proof or the binary is of another command; use the proof that was asked for this one, and the binary that was looked up for its name"
        )
      }
    })
  )

  it.scoped("without an interpreter fails to start, in words", () =>
    Effect.gen(function* () {
      const bin = yield* directory
      writeFileSync(`${bin}/greet`, "#!/no/such/interpreter\n")
      chmodSync(`${bin}/greet`, 0o755)
      const { operations } = yield* world({ path: bin })
      expect(yield* messageOf(operations.spawn(greeting))).toBe(
        "SPAWN_FAILED: 'greet' could not be started: its file or its interpreter is missing; install it again"
      )
    })
  )

  it.scoped("that is many in one runs as the one it was called by", () =>
    Effect.gen(function* () {
      const bin = yield* directory
      copyFileSync("/bin/sh", `${bin}/many`)
      chmodSync(`${bin}/many`, 0o755)
      symlinkSync(`${bin}/many`, `${bin}/greet`)
      const { operations } = yield* world({ path: bin })
      const { stdout } = yield* operations.spawn({ binary: "greet", args: ["-c", "echo $0"] })
      expect(stdout).toBe("greet\n")
    })
  )
})

describe("the shell of scripts", () => {
  it.scoped("is /bin/sh, whatever stands first on the operator's path", () =>
    Effect.gen(function* () {
      const bin = yield* directory
      script(`${bin}/sh`, "echo fake")
      const { backend, operations } = yield* world({ path: `${bin}:/usr/bin:/bin` })
      expect((yield* operations.shell({ script: "echo real" })).stdout).toBe("real\n")
      expect((yield* backend.pinShell).found).toBe("/bin/sh")
      // Who names a command gets what the operator's path has.
      expect((yield* operations.spawn({ binary: "sh", args: [] })).stdout).toBe("fake\n")
      expect((yield* operations.shell({ script: "echo again" })).stdout).toBe("again\n")
    })
  )

  it.scoped("is found without any path", () =>
    Effect.gen(function* () {
      const { operations } = yield* world({ path: "" })
      expect((yield* operations.shell({ script: "echo real" })).stdout).toBe("real\n")
    })
  )

  it.scoped("is the file that the operator names, and refused once another one is in its place", () =>
    Effect.gen(function* () {
      const bin = yield* directory
      const shell = script(`${bin}/shell`, 'echo "mine: $2"')
      const { operations } = yield* world({ shell })
      expect((yield* operations.shell({ script: "x" })).stdout).toBe("mine: x\n")
      script(shell, "echo another one")
      expect(yield* messageOf(operations.shell({ script: "x" }))).toMatch(/^BINARY_NOT_ALLOWED: /)
    })
  )

  it.scoped("is refused where the tool may write it", () =>
    Effect.gen(function* () {
      const bin = yield* directory
      const shell = script(`${bin}/shell`, "echo mine")
      const { operations } = yield* world({ shell }, (root) =>
        authority({ process: { eval: [`${root}/`] }, files: { write: [bin] } })
      )
      expect(yield* messageOf(operations.shell({ script: "x" }))).toBe(
        `BINARY_NOT_ALLOWED: ${shell} is a file that this tool may write, or lies behind one; keep commands out of its write reach`
      )
    })
  )

  it.scoped.each(["sh", "./sh", "/nowhere/sh", "/bin/../bin/sh", "/etc/passwd", "/bin", "", "/bin/sh\u0000"])(
    "is not '%s'",
    (shell) =>
      Effect.gen(function* () {
        const { operations } = yield* world({ shell })
        const message = yield* messageOf(operations.shell({ script: "echo x" }))
        expect(message).toMatch(/^BINARY_NOT_FOUND: the shell '.*' is no executable file; /)
        expect(message).toContain("set the option shell of the process layer to the absolute path of one")
      })
  )

  it.scoped("is no other binary, whoever permitted a script", () =>
    Effect.gen(function* () {
      const { backend, root } = yield* world()
      const proof = Either.getOrThrow(
        ask(holder({ sandbox: held, authority: open(root), backend }), Request.shell(root))
      )
      const echo = yield* backend.pin("echo")
      expect(yield* messageOf(backend.shell(proof, echo, "x", {}))).toMatch(/^BINARY_NOT_ALLOWED: /)
    })
  )
})

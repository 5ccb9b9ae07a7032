/** The cases about what a command is found by, runs in, and gets of its surroundings. */
import { Effect } from "effect"
import type { ProcessError } from "../../capabilities/process/ProcessOperations.js"
import { must, mustRefuse } from "./contract.js"
import { type Definition, define, place, type Rig } from "./processCase.js"

const SECRET = "hunter2"

const binaries: ReadonlyArray<Definition> = [
  define("binaries", "a name that stands for no program is not found", ({ backend, rig }) =>
    Effect.gen(function* () {
      const names = ["no-such-command-anywhere", "", "a\0b", "./sh", "../sh", "bin/sh", rig.directory, "."]
      for (const name of names) {
        yield* mustRefuse(`pin of '${name}'`, backend.pin(name), "BINARY_NOT_FOUND")
      }
      const found = yield* backend.pin("sh")
      yield* must("pin of sh", [found.name, found.path.startsWith("/")], ["sh", true])
    })
  ),
  define("binaries", "a file that is no program, or that nobody may run, is not found", (bench) =>
    place(bench, (directory) =>
      Effect.gen(function* () {
        yield* bench.shell("echo 'echo x' >plain", { in: directory })
        for (const name of [`${directory}/plain`, directory]) {
          yield* mustRefuse(`pin of ${name}`, bench.backend.pin(name), "BINARY_NOT_FOUND")
        }
      })
    )
  ),
  define("binaries", "what the system does not start fails, without a word of its arguments", (bench) =>
    mustRefuse("too long", bench.spawn(["true", SECRET.repeat(1_000_000)]), "SPAWN_FAILED", [SECRET])
  )
]

/** With each of these a permitted command would run or load something else. */
const STEERING = [
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "DYLD_INSERT_LIBRARIES",
  "ENV",
  "BASH_ENV",
  "NODE_OPTIONS",
  "PYTHONSTARTUP",
  "PERL5OPT",
  "GIT_SSH_COMMAND"
]

const environment: ReadonlyArray<Definition> = [
  define(
    "environment",
    "a variable that changes what a command runs is refused, and heard of once",
    (bench) =>
      Effect.gen(function* () {
        const refused = (name: string, value: string) =>
          Effect.gen(function* () {
            const by = bench.holding(bench.rig.directory)
            const run = bench.spawn(["true"], { env: { [name]: value }, by })
            yield* mustRefuse(name, run, "ENV_REFUSED", [SECRET])
            yield* must("refusals heard", by.heard().length, 1)
          })
        for (const name of [...STEERING, "A=B", "", "1A", "a b"]) yield* refused(name, SECRET)
        yield* refused("FINE", `${SECRET}\0`)
      })
  ),
  define("environment", "a tool's search path finds nothing, and reaches nobody", (bench) =>
    place(bench, (directory) =>
      Effect.gen(function* () {
        const made = "printf '#!/bin/sh\\necho other\\n' >env; chmod +x env"
        yield* bench.shell(made, { in: directory })
        const run = bench.spawn(["env"], { env: { PATH: directory } })
        const said = yield* Effect.match(run, {
          onFailure: (error: ProcessError) => error.code,
          onSuccess: ({ stdout }) => stdout
        })
        // To refuse it is as good as to leave it out.
        yield* must("the tool's directory", said.includes(directory), false)
        yield* must("the tool's program", said === "other\n", false)
      })
    )
  )
]

const directories: ReadonlyArray<Definition> = [
  define("directories", "a command runs in the directory of its proof", (bench) =>
    place(bench, (directory) =>
      Effect.gen(function* () {
        const pwd = yield* bench.spawn(["pwd"], { in: directory })
        yield* must("pwd", pwd.stdout, `${directory}\n`)
        const script = yield* bench.shell("echo x >made; pwd", { in: directory })
        yield* must("pwd of a script", script.stdout, `${directory}\n`)
        yield* must("what it made", (yield* bench.spawn(["ls"], { in: directory })).stdout, "made\n")
      })
    )
  ),
  define("directories", "what is no directory is refused", (bench) =>
    place(bench, (directory) =>
      Effect.gen(function* () {
        yield* bench.shell("echo x >file", { in: directory })
        for (const name of ["none", "file", "file/below"]) {
          const run = bench.spawn(["true"], { in: `${directory}/${name}` })
          yield* mustRefuse(name, run, "CWD_NOT_REACHABLE")
        }
      })
    )
  ),
  define(
    "directories",
    "a link that stays in what is permitted is followed, and one that leaves it is not",
    (bench) =>
      place(bench, (directory) =>
        Effect.gen(function* () {
          const made = "mkdir in in/d out; ln -s d in/stays; ln -s ../out in/leaves; ln -s ../none in/nowhere"
          yield* bench.shell(made, { in: directory })
          const by = bench.holding(`${directory}/in`)
          const pwd = yield* bench.spawn(["pwd"], { in: `${directory}/in/stays`, by })
          yield* must("pwd", pwd.stdout, `${directory}/in/d\n`)
          for (const name of ["leaves", "nowhere"]) {
            const before = by.heard().length
            const at = { in: `${directory}/in/${name}`, by }
            const secrets = [`${directory}/out`, `${directory}/none`]
            yield* mustRefuse(name, bench.spawn(["pwd"], at), "CWD_NOT_REACHABLE", secrets)
            yield* must("refusals heard", by.heard().length - before, 1)
            yield* mustRefuse(`script in ${name}`, bench.shell("pwd", at), "CWD_NOT_REACHABLE", secrets)
          }
        })
      )
  )
]

export const surroundings: ReadonlyArray<Definition> = [...binaries, ...environment, ...directories]

/** The case about a variable that the rig names. */
export const ofOperator = ({ name, value }: NonNullable<Rig["operator"]>): Definition =>
  define("environment", "what is the operator's own is not a child's", (bench) =>
    Effect.gen(function* () {
      for (const { stdout } of [yield* bench.spawn(["env"]), yield* bench.shell("env")]) {
        yield* must("the name", stdout.includes(`${name}=`), false)
        yield* must("the value", stdout.includes(value), false)
      }
    })
  )

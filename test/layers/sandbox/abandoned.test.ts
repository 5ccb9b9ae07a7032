/**
 * Threats: the program is killed while its child has made what runs later by itself, and nobody clears up (P15); who does takes
 * what is the operator's; two programs on one tree take each other's for settled.
 */
import * as fs from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { leftoversIn } from "../../../src/layers/node/sandbox/sweep/Leftovers.js"
import { deep } from "../../deep.js"
import { until } from "../../waiting.js"
import { canHold } from "../process/harness.js"
import { killed, placeOf, users } from "./abandoned.js"
import { fill } from "./folders.js"

const MAKES =
  "mkdir -p .git/hooks sub && echo 'echo hi' > .git/hooks/pre-commit && echo hi > .envrc && echo hi > sub/.envrc && echo hi > kept.txt"
const WAITS = "touch made && sleep 1000"

/** Beside what every result says as root. */
const saidOf = (notes: ReadonlyArray<string>) => notes.filter((note) => !note.includes("exempts root"))

describe.skipIf(!canHold).each(users)("After a program that is killed, as %s,", (_, uid) => {
  it.live("what its child made is moved by the next one, and named in its first result", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { entries, give, journal, moved, next, quarantine, root, started, there } = yield* placeOf(uid)
        const left = () => leftoversIn(quarantine).map(({ file, kind }) => [join(file, ".."), kind])
        fill(root, {
          ".git/HEAD": "ref: refs/heads/main\n",
          ".git/objects/": "",
          ".git/refs/": "",
          ".git/config": "[core]\n",
          ".vscode/tasks.json": "mine",
          "mine/.envrc": "->run.me"
        })
        give(join(root, ".git"), join(root, "mine"))
        const program = yield* started(`${MAKES} && rm mine/.envrc && ${WAITS}`)
        yield* until(() => there("made"))
        expect(entries().length).toBe(1)
        expect(left()).toEqual([])
        yield* killed(program)
        expect(there(".envrc")).toBe(true)
        const isOthers = uid !== undefined && uid !== process.geteuid?.()
        expect(left()).toEqual([[journal, isOthers ? "foreign" : "due"]])

        const first = yield* next()
        const gone = ["/.envrc", "/.git/hooks", "/sub/.envrc"]
        expect(left()).toEqual([])
        expect(moved()).toEqual(gone)
        expect(gone.filter(there)).toEqual([])
        expect([there("kept.txt"), there(".vscode/tasks.json"), there(".git/config")]).toEqual([
          true,
          true,
          true
        ])
        expect(fs.readlinkSync(join(root, "mine/.envrc"))).toBe("run.me")
        const named = [...gone, "/mine/.envrc"]
        for (const said of [saidOf(first.notes), first.logged]) {
          expect(said.map((note) => note.slice(root.length).split(" ")[0]).sort()).toEqual(named.sort())
        }
        expect(first.notes.join("\n")).toContain(
          "sub/.envrc was made by a child of a program that was killed, and was moved to"
        )
        expect([...first.heard].sort()).toEqual(
          named.map((path) => `PATH_NOT_REACHABLE write ${root}${path}`).sort()
        )
        const second = yield* next()
        expect([saidOf(second.notes), second.heard, second.logged, entries()]).toEqual([[], [], [], []])
      })
    )
  )

  it.live("whenever that happens nothing is lost, and nothing of the operator's is taken", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { entries, give, moved, next, root, started, there } = yield* placeOf(uid)
        fill(root, { ".envrc": "mine", ".husky/pre-commit": "mine", "a/.envrc": "->mine" })
        give(join(root, "a"))
        const random = Random.make(`moments ${uid}`)
        for (let round = 0; round < (deep ? 60 : 3); round++) {
          const program = yield* started(
            `mkdir -p d$$ && echo hi > d$$/.envrc && echo hi > d$$/bailiwick.yaml && touch d$$/plain-${round}`,
            3
          )
          yield* until(() => fs.readdirSync(root).some((name) => there(`${name}/plain-${round}`)))
          for (let turns = yield* random.nextIntBetween(0, 400); turns > 0; turns--) yield* until(() => true)
          yield* killed(program)
          yield* next()
          const left = fs
            .readdirSync(root)
            .flatMap((name) => [`${name}/.envrc`, `${name}/bailiwick.yaml`])
            .filter((path) => path !== "a/.envrc" && there(path))
          expect([left, entries()]).toEqual([[], []])
        }
        expect(moved().filter((path) => !/^\/d\d+\//.test(path))).toEqual([])
        expect([fs.readFileSync(join(root, ".envrc"), "utf8"), there(".husky/pre-commit")]).toEqual([
          "mine",
          true
        ])
        expect(fs.readlinkSync(join(root, "a/.envrc"))).toBe("mine")
      })
    )
  )

  it.live("what a child of one that still runs may have made is left to it, and what is anew is moved", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { entries, moved, next, started, there } = yield* placeOf(uid)
        const program = yield* started("echo hi > .envrc && touch made && sleep 1000")
        yield* until(() => there("made"))
        const during = yield* next("mkdir -p b && echo hi > b/.envrc; echo changed > .envrc; true")
        expect([there(".envrc"), moved(), entries().length]).toEqual([true, ["/b/.envrc"], 1])
        expect(saidOf(during.notes).length).toBe(1)
        yield* killed(program)
        yield* next()
        expect([moved(), there(".envrc"), entries()]).toEqual([["/.envrc", "/b/.envrc"], false, []])
      })
    )
  )

  it.live("an entry that is torn is kept aside and said, and what is whole is cleared up by", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { entries, give, journal, moved, next, started, there } = yield* placeOf(uid)
        const program = yield* started("echo hi > .envrc && touch made && sleep 1000")
        yield* until(() => there("made"))
        yield* killed(program)
        const [name = ""] = entries()
        const text = fs.readFileSync(join(journal, name), "utf8")
        const torn = join(journal, name.replace(/\d+$/, "77"))
        fs.writeFileSync(torn, text.slice(0, text.length / 2), { mode: 0o600 })
        const idle = join(journal, name.replace(/\d+$/, "78"))
        fs.writeFileSync(idle, "", { mode: 0o600 })
        give(torn, idle)
        const { logged, notes } = yield* next()
        expect(moved()).toEqual(["/.envrc"])
        expect(entries()).toEqual([`unreadable-${name.replace(/\d+$/, "77")}`])
        expect(notes.join("\n")).toContain("its entry in the journal cannot be read")
        expect(logged.length).toBe(2)
        expect((yield* next()).logged).toEqual([])
      })
    )
  )

  it.live("a child is not started that could not be cleared up after", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { give, journal, next, there } = yield* placeOf(uid)
        fs.mkdirSync(journal)
        give(journal)
        fs.chmodSync(journal, 0o777)
        const { notes } = yield* next("touch started")
        expect(notes.join("\n")).toContain("let nobody but this user write there")
        fs.rmSync(journal, { recursive: true })
        fs.writeFileSync(journal, "")
        expect((yield* next("touch started")).notes.join("\n")).toContain("remove what is in its place")
        expect(there("started")).toBe(false)
      })
    )
  )

  it.live("its journal is closed to children, wherever it lies", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { entries, next, root } = yield* placeOf(uid, "root/state")
        yield* next(
          "ls -A state.journal state > seen 2>&1; echo x > state.journal/x; mv state.journal gone; true"
        )
        expect(fs.readFileSync(join(root, "seen"), "utf8")).toBe("state:\n\nstate.journal:\n")
        expect(entries()).toEqual([])
      })
    )
  )
})

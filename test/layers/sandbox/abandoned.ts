/** Programs that are killed while their children run, and those that come after them, as this user and as one without rights. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { programOf } from "../../program.js"
import { folder } from "./folders.js"

const NOBODY = 65_534

/** Without rights nobody can be somebody else. */
export const users: ReadonlyArray<readonly [string, number | undefined]> = [
  ["this user", undefined],
  ...(process.getuid?.() === 0 ? [["nobody", NOBODY] as const] : [])
]

const Said = Schema.parseJson(
  Schema.Struct({
    notes: Schema.Array(Schema.String),
    heard: Schema.Array(Schema.String),
    logged: Schema.Array(Schema.String)
  })
)

const program = Effect.promise(() => programOf(join(import.meta.dirname, "abandoner.ts")))

/** A tree of a user, with a quarantine beside it. */
export const placeOf = (uid: number | undefined, state = "quarantine") =>
  Effect.gen(function* () {
    const base = yield* folder
    const own = join(base, "program.mjs")
    copyFileSync(yield* program, own)
    const [root, quarantine] = [join(base, "root"), join(base, state)]
    mkdirSync(root)
    const give = (...paths: ReadonlyArray<string>) => {
      if (uid !== undefined) for (const path of paths) chownSync(path, uid, uid)
    }
    give(base, root, own)
    const as = uid === undefined ? {} : { uid, gid: uid }
    const rest = { ...as, cwd: "/", env: { PATH: process.env.PATH, HOME: base } }

    /** Children of a program, until it is killed. */
    const started = (script: string, atOnce = 1): Effect.Effect<ChildProcess> =>
      Effect.async((resume) => {
        const words = [own, "forever", root, quarantine, script, String(atOnce)]
        const child = spawn(process.execPath, words, { ...rest, stdio: ["ignore", "pipe", "inherit"] })
        child.stdout.once("data", () => resume(Effect.succeed(child)))
      })

    const next = (script = "true") =>
      Effect.async<string>((resume) => {
        execFile(process.execPath, [own, "once", root, quarantine, script], rest, (_, stdout, stderr) =>
          resume(Effect.succeed(stdout === "" ? stderr : stdout))
        )
      }).pipe(Effect.flatMap((text) => Effect.orDie(Schema.decode(Said)(text))))

    const journal = `${quarantine}.journal`
    const entries = () => (existsSync(journal) ? readdirSync(journal) : [])
    /** Where everything was that is in the quarantine. */
    const moved = (): ReadonlyArray<string> =>
      (existsSync(quarantine) ? readdirSync(quarantine) : [])
        .map((one) => join(quarantine, one, "list.json"))
        // Who was killed may have moved nothing yet.
        .filter((list) => existsSync(list))
        .flatMap((list) => JSON.parse(readFileSync(list, "utf8")))
        .map(({ path }) => path.slice(root.length))
        .sort()
    const there = (path: string) => existsSync(join(root, path))
    return { root, quarantine, journal, give, started, next, entries, moved, there }
  })

export const killed = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async((resume) => {
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

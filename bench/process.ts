/** A guarded child that nothing holds against a bare one: pinned, asked, in its directory, with a deadline, and ended with its group. */
import { spawn } from "node:child_process"
import { realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { pathToFileURL } from "node:url"
import { Effect, Schema } from "effect"
import { scoped } from "../src/capabilities/process/ScopedProcess.js"
import * as NodeProcess from "../src/layers/node/process/NodeProcess.js"
import { holder } from "../src/policy/gate/Asking.js"
import * as Authority from "../src/policy/lattice/Authority.js"
import { compare } from "./pairs.js"
import { print, type Row } from "./report.js"

const bare = (command: string, args: ReadonlyArray<string>, cwd: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "pipe"] })
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8")
    })
    child.stderr.on("data", () => {})
    child.on("error", reject)
    child.on("close", () => resolve(output))
  })

const measured = Effect.gen(function* () {
  const cwd = realpathSync(tmpdir())
  const backend = yield* NodeProcess.make()
  const authority = Schema.decodeSync(Authority.FromJson)({
    process: { exec: [{ argv: "*", in: `${cwd}/` }] }
  })
  const operations = scoped(
    holder({ authority, tool: "bench", sandbox: { mode: "off", limits: {} } }),
    { workdir: cwd },
    backend
  )
  const guarded = (binary: string, args: ReadonlyArray<string>) => () =>
    Effect.runPromise(operations.spawn({ binary, args }))
  const output = ["-c", "1000000", "/dev/zero"]
  const ratio = (work: string, binary: string, args: ReadonlyArray<string>, atOnce: number) =>
    Effect.promise(() =>
      compare({
        work,
        ours: guarded(binary, args),
        theirs: () => bare(binary, args, cwd),
        atOnce,
        perRound: 8
      })
    )
  const alone = "a child that does nothing, alone / 4 at once"
  return [
    {
      work: alone,
      atMost: 1.1,
      ratios: [yield* ratio(alone, "true", [], 1), yield* ratio(alone, "true", [], 4)]
    },
    { work: "a child that writes 1 MB", atMost: 1.1, ratios: [yield* ratio("1 MB", "head", output, 1)] }
  ] satisfies ReadonlyArray<Row>
})

export const rows = (): Promise<ReadonlyArray<Row>> => Effect.runPromise(Effect.scoped(measured))

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) print(await rows())

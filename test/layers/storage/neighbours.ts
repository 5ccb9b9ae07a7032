/** Who else uses the directory of a store: another layer, and processes that are compiled once and started as they are. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import * as NodeStorage from "../../../src/layers/node/storage/NodeStorage.js"
import * as StorageContract from "../../../src/testing/contracts/StorageContract.js"
import { programOf } from "../../program.js"
import { scratch } from "./scratch.js"

const program = Effect.promise(() => programOf(join(import.meta.dirname, "writer.ts")))

/** A process as a neighbour: what it said, what it waits for, and how it ends. */
const started = (command: string, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
      const said: Array<string> = []
      const waiting = new Set<() => void>()
      const tell = () => {
        for (const look of [...waiting]) look()
      }
      let ended: boolean | undefined
      createInterface({ input: child.stdout }).on("line", (line) => {
        said.push(line)
        tell()
      })
      const end = (well: boolean) => {
        ended ??= well
        tell()
      }
      child.once("close", (code) => end(code === 0))
      child.once("error", () => end(false))
      const until = <A>(look: () => A | undefined) =>
        Effect.async<A>((resume) => {
          const check = () => {
            const found = look()
            if (found === undefined) return
            waiting.delete(check)
            resume(Effect.succeed(found))
          }
          waiting.add(check)
          check()
          return Effect.sync(() => waiting.delete(check))
        })
      const send = (signal: NodeJS.Signals) => Effect.sync(() => void child.kill(signal))
      const neighbour: StorageContract.Neighbour = {
        heard: (lines) => until(() => (said.length >= lines || ended !== undefined ? [...said] : undefined)),
        ended: until(() => ended),
        stop: send("SIGSTOP"),
        goOn: send("SIGCONT"),
        kill: send("SIGKILL")
      }
      return neighbour
    }),
    (neighbour) => Effect.zipRight(neighbour.kill, neighbour.ended)
  )

/** No file may become longer than these kilobytes. */
const ROOM = 4096

/** Those of a directory. */
export const neighboursOf = (directory: string) =>
  Effect.map(program, (file) =>
    StorageContract.Neighbours.of({
      layer: NodeStorage.make({ directory }),
      process: (job) => started(process.execPath, [file, directory, JSON.stringify(job)]),
      cramped: (job) =>
        Effect.flatMap(scratch, (small) =>
          started("bash", [
            "-c",
            `ulimit -f ${ROOM}; exec "$0" "$@"`,
            process.execPath,
            file,
            small,
            JSON.stringify(job)
          ])
        )
    })
  )

/** Processes that a test starts, listens to and ends. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import type * as StorageContract from "../../src/testing/contracts/StorageContract.js"

/** A process as a neighbour: what it said, what it waits for, and how it ends. */
export const started = (command: string, args: ReadonlyArray<string>) =>
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

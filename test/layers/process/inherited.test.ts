/**
 * The threat: another program, or native code, left files and sockets open without close-on-exec; a child of ours
 * would have them, whatever it may open itself.
 */
import { spawn } from "node:child_process"
import { closeSync, openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { programOf } from "../../program.js"
import { directory } from "./harness.js"

const program = Effect.promise(() => programOf(join(import.meta.dirname, "inheritor.ts")))

const Printed = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))

/** What the children of a program had open that was started with so many foreign descriptors, at these numbers. */
const seen = (numbers: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const root = yield* directory
    const canary = `${root}/canary`
    writeFileSync(canary, "not yours")
    const stdio: Array<number | "ignore" | "pipe"> = ["ignore", "pipe", "ignore"]
    const opened = openSync(canary, "r")
    for (let number = 3; number <= Math.max(...numbers); number++) {
      stdio[number] = numbers.includes(number) ? opened : "ignore"
    }
    const file = yield* program
    const printed = yield* Effect.async<string>((resume) => {
      const child = spawn(process.execPath, [file, root], { stdio })
      let text = ""
      child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
      })
      child.once("close", () => resume(Effect.succeed(text)))
      return Effect.sync(() => child.kill("SIGKILL"))
    })
    closeSync(opened)
    return { canary, children: yield* Schema.decode(Printed)(printed) }
  })

/** The numbers and targets that a child said. What it opened to list them was closed again, and has no target. */
const openIn = (text: string) =>
  [...text.matchAll(/^\/proc\/\d+\/fd\/(\d+)\n(?!\/proc)(.+)$/gm)]
    .map(([, number, target]) => [Number(number), target] as const)
    .filter(([number]) => number > 2)

describe.runIf(process.platform === "linux")("what this program has open", () => {
  it.live.each([{ numbers: [3] }, { numbers: [3, 4, 5, 40, 251] }])(
    "is nothing that a child of it has: $numbers",
    ({ numbers }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { canary, children } = yield* seen(numbers)
          expect(Object.keys(children)).toEqual(["spawn", "held", "shell", "stream", "ripgrep"])
          for (const [name, text] of Object.entries(children)) {
            expect(text, name).not.toContain(canary)
            // A shell that runs a file has that open, under a number above 9.
            const others = openIn(text).filter(
              ([, target]) => target !== "/dev/null" && !target?.endsWith("/rg")
            )
            expect(others, name).toEqual([])
          }
        })
      )
  )
})

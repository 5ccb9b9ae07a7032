/** The threat: a step of `npm test` that is over, or was ended, and leaves workers behind that go on computing. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { node } from "../scripts/lib/command.js"
import { root } from "../scripts/lib/project.js"

const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href

/** Starts another that never ends by itself, and says who that is. */
const parent = `
const { spawn } = require("node:child_process")
const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
console.log(child.pid)
`

const isAlive = (pid: string): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

/** Answers once it is gone; a test whose process stays does not end. */
const gone = async (pid: string): Promise<boolean> => {
  while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve))
  return true
}

describe.runIf(process.platform === "linux")("a command", () => {
  it("takes all that it started along when it ends", async () => {
    const { ok, stdout } = await node(["-e", `${parent}\nprocess.exit(0)`])
    expect(ok).toBe(true)
    expect(await gone(stdout.trim())).toBe(true)
  })

  it.each(["SIGTERM", "SIGINT"] as const)(
    "goes with all that it started when who runs it gets %s",
    async (signal) => {
      const program = `
import { node } from ${JSON.stringify(pathToFileURL(join(root, "scripts/lib/command.ts")).href)}
await node(["-e", ${JSON.stringify(parent)}])
`
      const runner = spawn(process.execPath, ["--import", loader, "--input-type=module", "-e", program], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const ended = once(runner, "close")
      const familyOf = (pid: number | string): ReadonlyArray<string> => {
        try {
          const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")
          return children.filter((child) => child !== "")
        } catch {
          return []
        }
      }
      let [child, grandchild] = ["", ""]
      while (grandchild === "") {
        await new Promise((resolve) => setImmediate(resolve))
        child = familyOf(runner.pid ?? 0).at(-1) ?? ""
        grandchild = child === "" ? "" : (familyOf(child)[0] ?? "")
      }
      runner.kill(signal)
      await ended
      expect(await gone(child)).toBe(true)
      expect(await gone(grandchild)).toBe(true)
    }
  )

  it("is told apart by how it ended, with all that it printed", async () => {
    const finished = await node(["-e", "console.log('out'); console.error('err'); process.exit(3)"])
    expect(finished).toMatchObject({ ok: false, stdout: "out\n" })
    expect(finished.output).toContain("exit code 3")
    expect(finished.output).toContain("err")
  })
})

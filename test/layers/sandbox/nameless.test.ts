import { readdirSync, readlinkSync } from "node:fs"
import { describe, expect, it, vi } from "vitest"

/** Files without a name that this program has open. */
const open = (): number =>
  readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).endsWith(" (deleted)")
    } catch {
      return false
    }
  }).length

/** As a program has it that has lent nothing yet. */
const { Lent } = await (async () => {
  vi.resetModules()
  return import("../../../src/layers/node/sandbox/nameless.js")
})()

describe.runIf(process.platform === "linux")("files without a name", () => {
  it("wait for the next child in no larger number than are in use, however many there were at once", () => {
    const before = open()
    const lasting = new Lent()
    const brief = Array.from({ length: 20 }, () => new Lent())
    expect(open() - before).toBe(21)
    for (const one of brief) one.giveBack()
    expect(open() - before).toBe(3)
    lasting.giveBack()
    expect(open() - before).toBe(2)
  })

  it("have nothing in them of whoever had them before", () => {
    const first = new Lent(Buffer.from("what one child was told"))
    first.giveBack()
    const next = new Lent()
    expect(next.text).toBe("")
    next.giveBack()
  })
})

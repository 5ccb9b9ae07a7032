/** Where an open file is, when it loses its name at that very moment: another program may replace it at any time. */
import { closeSync, mkdtempSync, openSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Reality from "../../../src/layers/node/disk/Reality.js"

let folder = ""
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-reality-")))
})
afterEach(() => rmSync(folder, { recursive: true }))

const { wasAt } = Reality.of("descriptor")

const opened = (path: string, use: (fd: number) => void): void => {
  const fd = openSync(path, "r")
  try {
    use(fd)
  } finally {
    closeSync(fd)
  }
}

describe.runIf(process.platform === "linux")("an open file", () => {
  it("was at its path, though another has taken its place since it was looked at", () => {
    const path = join(folder, "a")
    writeFileSync(path, "old")
    opened(path, (fd) => {
      writeFileSync(join(folder, "b"), "new")
      renameSync(join(folder, "b"), path)
      expect(wasAt(fd, path)).toBe(true)
    })
  })

  it("is not taken for another because of what it is called", () => {
    const path = join(folder, "a (deleted)")
    writeFileSync(path, "x")
    opened(path, (fd) => expect(wasAt(fd, join(folder, "a"))).toBe(false))
  })
})

/** Where a program of the system is missing: left out in words elsewhere, and a failure in CI. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { has, leftOut, missingInCI } from "../scripts/lib/system.js"

/** A machine with these programs and no others; what they do does not matter. */
const folders: Array<string> = []
const machine = (...names: ReadonlyArray<string>): string => {
  const folder = mkdtempSync(join(tmpdir(), "bailiwick-path-"))
  folders.push(folder)
  for (const name of names) symlinkSync(process.execPath, join(folder, name))
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

it("is left out elsewhere, and a line says what and how to install it", () => {
  const bare = { PATH: machine("node") }
  expect(has("tmux", bare)).toBe(false)
  expect(missingInCI(bare)).toBe(undefined)
  expect(leftOut(bare)).toBe(
    "left out: searches with the ripgrep that is installed, children that the kernel holds, limits of children, attacks on what holds children, and their network, connections of children over TLS, curl in the network of a child, wget in the network of a child, git in the network of a child, pip in the network of a child, the command line in a terminal, completion in bash, completion in zsh, completion in fish, the page of the audit log in a browser, state in PostgreSQL; to run them: apt-get install ripgrep bubblewrap util-linux perl-base openssl curl wget git python3-pip tmux bash zsh fish chromium postgresql"
  )
})

it("is a failure in CI", () => {
  const bare = { PATH: machine("node"), CI: "true" }
  expect(() => has("tmux", bare)).toThrow("tmux is missing: install tmux")
  expect(missingInCI(bare)).toContain(
    "apt-get install ripgrep bubblewrap util-linux perl-base openssl curl wget git python3-pip tmux bash zsh fish chromium postgresql"
  )
})

it("is not spoken of where it is there", () => {
  const full = {
    PATH: machine(
      "node",
      "rg",
      "bwrap",
      "prlimit",
      "perl",
      "openssl",
      "curl",
      "wget",
      "git",
      "pip3",
      "tmux",
      "bash",
      "zsh",
      "fish",
      "chromium",
      "pg_ctlcluster"
    ),
    CI: "true"
  }
  expect(has("ripgrep", full)).toBe(true)
  expect([leftOut(full), missingInCI(full)]).toEqual([undefined, undefined])
})

it("is installed by the pipeline, each package for its command", () => {
  const [, installed = ""] = /programs="([^"]*)"/.exec(readFileSync(".ci/run", "utf8")) ?? []
  const pairs = installed
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split(":"))
  const commands = pairs.map(([command = ""]) => command)
  expect(leftOut({ PATH: machine(...commands) })).toBe(undefined)
  const [, needed = ""] = (leftOut({ PATH: machine("node") }) ?? "").split("apt-get install ")
  const packages = pairs.map(([, name]) => name)
  for (const name of needed.split(" ")) expect(packages).toContain(name)
})

/** Threat: a repository that a child made has settings by which git runs something when somebody else uses it (P15). */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { reduce } from "../../src/policy/confinement/GitConfig.js"
import { afterTest } from "../cleanup.js"
import { times } from "../deep.js"

const cloned = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
[remote "origin"]
	url = https://example.com/a.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
`

/** What git itself reads. */
const readByGit = (text: string): ReadonlyArray<readonly [key: string, value: string]> => {
  const folder = mkdtempSync(join(tmpdir(), "bailiwick-config-"))
  afterTest(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, "config")
  writeFileSync(file, text)
  const output = execFileSync("git", ["config", "--file", file, "--list", "--null"], { encoding: "utf8" })
  return output
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => {
      const end = entry.indexOf("\n")
      return [entry.slice(0, end), entry.slice(end + 1)] as const
    })
}

describe("Settings of a repository", () => {
  it("stay as git writes them for a new repository and for a clone", () => {
    expect(reduce(cloned)).toEqual({ text: cloned, dropped: [] })
  })

  const running: ReadonlyArray<readonly [section: string, line: string]> = [
    ["[core]", "fsmonitor = /tmp/x"],
    ["[core]", "hooksPath = /tmp/x"],
    ["[core]", "sshCommand = /tmp/x"],
    ["[core]", "pager = /tmp/x"],
    ["[core]", "editor = /tmp/x"],
    ["[core]", "gitProxy = /tmp/x"],
    ["[core]", "askPass = /tmp/x"],
    ["[core]", "attributesFile = /tmp/x"],
    ["[core]", "worktree = /home/me"],
    ["[core]", "alternateRefsCommand = /tmp/x"],
    ['[filter "x"]', "clean = /tmp/x"],
    ['[filter "x"]', "process = /tmp/x"],
    ['[diff "x"]', "textconv = /tmp/x"],
    ["[diff]", "external = /tmp/x"],
    ['[merge "x"]', "driver = /tmp/x"],
    ["[alias]", "status = !/tmp/x"],
    ["[credential]", "helper = /tmp/x"],
    ["[gpg]", "program = /tmp/x"],
    ["[include]", "path = /tmp/x"],
    ['[includeIf "gitdir:/"]', "path = /tmp/x"],
    ['[remote "a"]', "url = ext::sh -c x"],
    ['[remote "a"]', "url = --upload-pack=x"],
    ['[remote "a"]', "url = helper://x"],
    ['[remote "a"]', "url = ssh://-oProxyCommand=x/"],
    ['[remote "a"]', "uploadpack = /tmp/x"],
    ['[remote "a"]', "vcs = x"],
    ['[branch "a"]', "remote = ext::sh"],
    ['[submodule "a"]', "update = !/tmp/x"],
    ['[url "ext::sh -c x"]', "insteadOf = https://"],
    ["[protocol]", "allow = always"],
    ["[http]", "proxy = http://x"],
    ["[uploadpack]", "packObjectsHook = /tmp/x"],
    ["[sequence]", "editor = /tmp/x"],
    ["[init]", "templateDir = /tmp/x"],
    ["[interactive]", "diffFilter = /tmp/x"],
    ["[CORE]", "FSMonitor = /tmp/x"]
  ]
  it.each(running)("lose what runs, or leads to what runs: %s %s", (section, line) => {
    const { dropped, text } = reduce(`${cloned}${section}\n\t${line}\n`)
    expect(text).toBe(cloned)
    expect(dropped.length).toBe(1)
  })

  it("lose what is hidden from a careless reader", () => {
    const hidden = [
      "[core] fsmonitor = /tmp/x",
      "[core]\n\tfilemode = true \\\n\tfsmonitor = /tmp/x",
      '[core "x"]\n\tfilemode = true',
      "[core]\r\n\tfsmonitor = /tmp/x\r",
      "\uFEFF[core]\n\tfsmonitor = x",
      "[core.x]\n\tfsmonitor = x",
      '[remote "a\\\nb"]\n\turl = x'
    ]
    for (const text of hidden) {
      const made = reduce(text)
      expect(made.dropped.length, text).toBeGreaterThan(0)
      expect(
        readByGit(made.text)
          .map(([key]) => key)
          .filter((key) => /fsmonitor|url/.test(key)),
        text
      ).toEqual([])
    }
  })

  it("say by which keys they were changed, and nothing that may be secret", () => {
    const text = '[http "https://token@example.com"]\n\textraHeader = secret\n[x\n\ty = z\n'
    expect(reduce(text).dropped).toEqual(["http.extraheader", "what cannot be read"])
  })

  it("keep remotes that git fetches by itself", () => {
    for (const url of [
      "git@example.com:a/b.git",
      "ssh://git@example.com:22/a",
      "/srv/with blanks/a.git",
      "../a.git"
    ]) {
      const text = `[remote "a"]\n\turl = ${url}\n`
      expect(reduce(text)).toEqual({ text, dropped: [] })
    }
  })

  it("keep where files are only where somebody says so", () => {
    const text = "[core]\n\tworktree = ../../../lib\n"
    expect(reduce(text, (value) => value === "../../../lib")).toEqual({ text, dropped: [] })
    expect(reduce(text).text).toBe("")
  })

  const line = fc.oneof(
    fc.constantFrom(...running.flat(), ...cloned.split("\n")),
    fc.constantFrom(
      '\turl = "https://a/#b" ; c',
      "\tname",
      '\turl = a"b\\',
      "[user]",
      '\tname = "a \\" ; b"',
      "# x",
      "]",
      "[",
      "\\"
    ),
    fc.string({ maxLength: 12 })
  )
  const allowed =
    /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates)|user\.name|remote\..*\.(?:url|fetch)|branch\..*\.(?:remote|merge))$/s

  it("are read by git as they are kept, whatever was written [P15]", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const { text } = reduce(lines.join("\n"))
        expect(reduce(text)).toEqual({ text, dropped: [] })
        for (const [key, value] of readByGit(text)) {
          expect(key).toMatch(allowed)
          expect(value).not.toMatch(/^(?:ext::|-|!)/)
        }
      }),
      { numRuns: times(60) }
    )
  })
})

/**
 * Threats: a pattern that never ends, lines of files that may not be read, an answer that depends on which program
 * found it, a helper program that is tricked or hangs.
 */

import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, FastCheck as fc } from "effect"
import { RE2JS } from "re2js"
import { has } from "../../../scripts/lib/system.js"
import type { Files } from "../../../src/capabilities/files/Files.js"
import { literalOf } from "../../../src/layers/files/Literal.js"
import { find } from "../../../src/layers/node/files/ripgrep.js"
import type { Holder } from "../../../src/policy/gate/Asking.js"
import { times } from "../../deep.js"
import { canHold, sleep } from "../process/harness.js"
import { all, codeOf, type More, type Rig, refused, rig, SECRET, unheld } from "./rig.js"

const tree = ({ outside, put, reach }: Rig): void => {
  put("a.ts", "const alpha = 1\nconst beta = 2\nexport { alpha }\n")
  put("src/b.ts", "import { alpha } from '../a'\r\nalpha()\r\n")
  put("src/deep/c.md", "Alpha and ALPHA\nalpha.beta\n[alpha]\n")
  put("src.ts", "alpha at the end")
  put(".hidden", "alpha\n")
  put("node_modules/x/index.js", "alpha\n")
  put(".git/config", "alpha\n")
  put("binary", new Uint8Array([...Buffer.from("alpha\n"), 0, 1, 2]))
  put("late-nul", `${"x".repeat(9000)}\nalpha\n\u0000`)
  put("latin1", new Uint8Array([0xe9, 0x20, ...Buffer.from("alpha"), 0xe9, 10]))
  put("bom", "\uFEFFalpha\n")
  put("long", `${"y".repeat(600)}alpha${"z".repeat(600)}\n`)
  put("empty", "")
  put("-rf", "alpha as an option\n")
  put("new\nline", "alpha\n")
  put(".ssh/config", "alpha\n")
  put("id_rsa", "alpha\n")
  symlinkSync(outside, join(reach, "out"))
  symlinkSync("a.ts", join(reach, "in.ts"))
}

const lines = (found: Files.Found, reach: string) =>
  found.matches.map(({ line, path, text }) => `${path.slice(reach.length + 1)}:${line}:${text.slice(0, 40)}`)

describe("searching", () => {
  it.scoped("answers with the lines that match, in the order of paths", () =>
    Effect.gen(function* () {
      const place = yield* rig({ ripgrep: false })
      tree(place)
      const found = yield* place.files.search(place.reach, { pattern: "\\balpha\\b" })
      expect(lines(found, place.reach)).toEqual([
        "-rf:1:alpha as an option",
        ".hidden:1:alpha",
        "a.ts:1:const alpha = 1",
        "a.ts:3:export { alpha }",
        "bom:1:alpha",
        "late-nul:2:alpha",
        "latin1:1:\uFFFD alpha\uFFFD",
        "src.ts:1:alpha at the end",
        "src/b.ts:1:import { alpha } from '../a'",
        "src/b.ts:2:alpha()",
        "src/deep/c.md:2:alpha.beta",
        "src/deep/c.md:3:[alpha]"
      ])
      expect(found.truncated).toBe(false)
    })
  )

  it.scoped("globs choose by name, at any depth", () =>
    Effect.gen(function* () {
      const place = yield* rig({ ripgrep: false })
      tree(place)
      const names = (glob: string) =>
        Effect.map(place.files.search(place.reach, { pattern: "alpha", glob }), ({ matches }) => [
          ...new Set(matches.map(({ path }) => path.slice(place.reach.length + 1)))
        ])
      expect(yield* names("*.ts")).toEqual(["a.ts", "src.ts", "src/b.ts"])
      expect(yield* names("src/*.ts")).toEqual(["src/b.ts"])
      expect(yield* names("src/**/*.md")).toEqual(["src/deep/c.md"])
      expect(yield* names("?.ts")).toEqual(["a.ts", "src/b.ts"])
      expect(yield* names("none")).toEqual([])
      expect((yield* refused(place.files.search(place.reach, { pattern: "x", glob: "a**b" }))).code).toBe(
        "FILES_FAILED"
      )
      expect(yield* codeOf(place.files.search(place.reach, { pattern: "x", glob: "../*" }))).toBe(
        "FILES_FAILED"
      )
    })
  )

  it.scoped("what is passed over is searched when it is meant", () =>
    Effect.gen(function* () {
      const place = yield* rig({ ripgrep: false })
      tree(place)
      const found = yield* place.files.search("node_modules", { pattern: "alpha" })
      expect(lines(found, place.reach)).toEqual(["node_modules/x/index.js:1:alpha"])
      const one = yield* place.files.search("a.ts", { pattern: "beta" })
      expect(lines(one, place.reach)).toEqual(["a.ts:2:const beta = 2"])
    })
  )

  it.scoped("only files and directories that may be read are searched, and never the floor", () =>
    Effect.gen(function* () {
      const place = yield* rig({ ripgrep: false })
      tree(place)
      const files = place.holding({
        files: { read: [place.reach, `${place.reach}/a.ts`, `${place.reach}/src/deep/`] }
      })
      const found = yield* files.search(place.reach, { pattern: "alpha" })
      expect(lines(found, place.reach)).toEqual(["a.ts:1:const alpha = 1", "a.ts:3:export { alpha }"])
      const everything = yield* place.holding(all("/")).search(place.reach, { pattern: "alpha|nobody" })
      expect(JSON.stringify(everything)).not.toMatch(/id_rsa|\.ssh|nobody/)
    })
  )

  it.scoped("F44: matches, lines, files and bytes have limits, and the answer says so", () =>
    Effect.gen(function* () {
      const place = yield* rig({ ripgrep: false })
      tree(place)
      const { holding, reach } = place
      const search = (limits: object, query: Files.Query = { pattern: "alpha" }) =>
        holding(all(`${reach}/`), { limits }).search(reach, query)
      const two = yield* search({}, { pattern: "alpha", limit: 2 })
      expect([two.matches.length, two.truncated]).toEqual([2, true])
      const capped = yield* search({ matches: 3 }, { pattern: "alpha", limit: 100 })
      expect([capped.matches.length, capped.truncated]).toEqual([3, true])
      expect((yield* search({ entries: 3 })).truncated).toBe(true)
      expect((yield* search({ depth: 1 })).truncated).toBe(true)
      expect((yield* search({ searchBytes: 100 })).truncated).toBe(true)
      const small = yield* search({ searchFileBytes: 1000 })
      expect(small.truncated).toBe(true)
      expect(lines(small, reach).join()).not.toContain("late-nul")
      const cut = yield* search({}, { pattern: "^y+" })
      expect(cut.matches.map(({ text }) => text)).toEqual(["y".repeat(500)])
    })
  )

  it.scoped("a pattern that is none, or is written to be expensive, is refused in words", () =>
    Effect.gen(function* () {
      const { files, put } = yield* rig({ ripgrep: false })
      put("a", "x")
      for (const pattern of [
        "(",
        "[z-a]",
        "(?=x)",
        "\\1",
        "a{1001}",
        "x".repeat(1001),
        "(a{999}b{999}c{999})"
      ]) {
        const error = yield* refused(files.search("a", { pattern }))
        expect(error.code).toBe("FILES_FAILED")
        expect(error.detail).toMatch(/^the pattern /)
      }
    })
  )

  it.scoped("a query that is not what its type says is refused too", () =>
    Effect.gen(function* () {
      const { files, put } = yield* rig({ ripgrep: false })
      put("a", "x")
      for (const query of [
        { pattern: 7 },
        {},
        ...[0, -1, 1.5, Number.NaN].map((limit) => ({ pattern: "x", limit }))
      ]) {
        expect(yield* codeOf(files.search("a", query as Files.Query))).toBe("FILES_FAILED")
      }
    })
  )

  it("a line that matches holds the literal of the pattern", () => {
    const piece = fc.constantFrom(
      ..."ab",
      "ab",
      "aB",
      "\\.",
      ".",
      "a?",
      "b*",
      "b+",
      "a+?",
      "(ab)",
      "(ab)?",
      "(?:a|b)",
      "[ab]",
      "[^a]b",
      "\\bab",
      "ab{2}",
      "a{0,1}b",
      "^",
      "$",
      "\\d",
      "\\[",
      "(a(b))",
      "é",
      "ſ",
      "k",
      "a|b",
      "(?i:ab)",
      "(?i)b",
      "\\Qa.b\\E",
      "[[:alpha:]]b",
      "\\x61b",
      "(a\\)b)",
      "[)]a",
      "{",
      "a{b}",
      "]",
      "\\pL"
    )
    const text = fc.string({ unit: fc.constantFrom(..."abAB.[]é1 \u017fsk\u212aKS{})"), maxLength: 12 })
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(piece, { minLength: 1, maxLength: 6 }),
        fc.array(text, { maxLength: 20 }),
        (folds, pieces, texts) => {
          const pattern = `${folds ? "(?i)" : ""}${pieces.join("")}`
          const literal = literalOf(pattern)
          if (literal === undefined) return
          const fold = (value: string) =>
            literal.ignoreCase ? value.toUpperCase().replaceAll("\u212a", "K") : value
          let compiled: RE2JS
          try {
            compiled = RE2JS.compile(pattern)
          } catch {
            return
          }
          for (const line of [...texts, pieces.join(""), literal.text.repeat(2)]) {
            if (compiled.test(line))
              expect([pattern, line, fold(line).includes(fold(literal.text))]).toEqual([pattern, line, true])
          }
        }
      ),
      { numRuns: times(1000) }
    )
    expect(literalOf("foo.*barbaz?")).toEqual({ text: "barba", ignoreCase: false })
    expect(literalOf("(?i)Note: \\d+")).toEqual({ text: "Note: ", ignoreCase: true })
    expect(literalOf("one|two")).toBe(undefined)
    expect(literalOf("ab\u0000cd")).toBe(undefined)
  })

  it.scoped("no pattern hangs: time is linear in what is read", () =>
    Effect.gen(function* () {
      const { files, put } = yield* rig({ ripgrep: false })
      put("a", `${"a".repeat(100_000)}\n${"ab".repeat(2000)}c\n`)
      for (const pattern of ["(a+)+$", "(a|aa)+b$", "(.*)*x", "(a?){99}a{99}", "([ab]*a[ab]{20})+c"]) {
        yield* files.search("a", { pattern })
      }
    })
  )
})

/** Answers as ripgrep would, with what it was asked in a file beside it. */
const helper = (place: Rig, name: string, body: string): string => {
  const path = join(place.outside, name)
  writeFileSync(
    path,
    `#!${process.execPath}\nconst fs = require("node:fs")\nconst args = process.argv.slice(2)\n` +
      `fs.appendFileSync(${JSON.stringify(`${path}.log`)}, JSON.stringify({ args, env: process.env, pid: process.pid }) + "\\n")\n${body}\n`
  )
  chmodSync(path, 0o755)
  return path
}

const honest = `
const text = args.find((arg) => arg.startsWith("--regexp=")).slice(9)
const folds = args.includes("--ignore-case")
const fold = (value) => (folds ? value.toLowerCase() : value)
const skipped = args.filter((arg) => arg.startsWith("--glob=!")).map((arg) => arg.slice(8, -1))
let found = 1
const walk = (path) => {
  for (const entry of fs.readdirSync(path, { withFileTypes: true })) {
    const child = path + "/" + entry.name
    if (entry.isDirectory() && !skipped.includes(entry.name)) walk(child)
    if (entry.isFile() && fold(fs.readFileSync(child, "latin1")).includes(fold(Buffer.from(text).toString("latin1")))) {
      found = 0
      process.stdout.write(child + "\\0")
    }
  }
}
walk(".")
process.exitCode = found`

const queries: ReadonlyArray<Files.Query> = [
  { pattern: "alpha" },
  { pattern: "alpha", glob: "*.ts" },
  { pattern: "(?i)alpha" },
  { pattern: "alpha$" },
  { pattern: "^alpha" },
  { pattern: "\\balpha\\b.*[0-9]" },
  { pattern: "alpha|beta" },
  { pattern: "alpha\\.beta" },
  { pattern: "\\[alpha\\]" },
  { pattern: "alphas?" },
  { pattern: "alpha{1}" },
  { pattern: "(alpha)?beta" },
  { pattern: "al(ph)a" },
  { pattern: "alp[gh]a" },
  { pattern: "al.ha" },
  { pattern: ".", limit: 5 },
  { pattern: "alpha", limit: 3 },
  { pattern: "\uFFFD alpha" },
  { pattern: "" },
  { pattern: "nothing at all" }
]

const sameAnswers = (place: Rig, ripgrep: string, more: More = {}) =>
  Effect.gen(function* () {
    const [own, helped] = [false, ripgrep].map((given) =>
      place.holding(all(`${place.reach}/`), { ripgrep: given as string | false, ...more })
    )
    for (const query of queries) {
      for (const path of [place.reach, "src", "node_modules", "a.ts"]) {
        expect(yield* helped!.search(path, query)).toEqual(yield* own!.search(path, query))
      }
    }
  })

const installed = find(process.env.PATH)

describe("searching with ripgrep", () => {
  it.scoped.runIf(has("ripgrep"))("answers as without it: the one that is installed", () =>
    Effect.gen(function* () {
      const place = yield* rig()
      tree(place)
      yield* sameAnswers(place, installed?.binary ?? "")
    })
  )

  it.scoped("answers as without it, and runs it with arguments only, no shell and no environment", () =>
    Effect.gen(function* () {
      const place = yield* rig()
      tree(place)
      const path = helper(place, "rg", honest)
      yield* sameAnswers(place, path, { sandbox: unheld })
      const asked = readFileSync(`${path}.log`, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      expect(asked.length).toBeGreaterThan(10)
      for (const { args, env } of asked) {
        expect(Object.keys(env)).toEqual([])
        expect(args).toContain("--no-config")
        expect(args).toContain("--no-follow")
        expect(args.slice(-2)).toEqual(["--", "./"])
      }
    })
  )

  it.scoped("what it says is only a hint: nothing outside or forbidden gets into an answer", () =>
    Effect.gen(function* () {
      const place = yield* rig()
      tree(place)
      const lies = [
        "../outside/secret",
        "out/secret",
        "in.ts",
        ".ssh/config",
        "id_rsa",
        "none",
        "",
        ".git/config",
        "src"
      ]
      const output = [...lies.map((name) => `./${name}`), `${place.outside}/secret`, "./a.ts"].join("\0")
      const path = helper(place, "rg", `process.stdout.write(${JSON.stringify(`${output}\0`)})`)
      const more = { ripgrep: path, sandbox: unheld }
      const found = yield* place.holding(all(`${place.reach}/`), more).search(place.reach, {
        pattern: "alpha"
      })
      expect(lines(found, place.reach)).toEqual(["a.ts:1:const alpha = 1", "a.ts:3:export { alpha }"])
      const secret = yield* place
        .holding(all(`${place.reach}/`), more)
        .search(place.reach, { pattern: "nobody" })
      expect(secret.matches).toEqual([])
      expect(JSON.stringify(found)).not.toContain(SECRET)
    })
  )

  it.scoped("when it fails, dies or is not there, the search goes on without it", () =>
    Effect.gen(function* () {
      const place = yield* rig()
      tree(place)
      const expected = yield* place.holding(all(`${place.reach}/`), { ripgrep: false }).search(place.reach, {
        pattern: "alpha"
      })
      const helpers = [
        helper(place, "fails", 'process.stdout.write("./a.ts\\0"); process.exitCode = 2'),
        helper(place, "dies", 'process.kill(process.pid, "SIGKILL")'),
        join(place.outside, "absent"),
        place.outside
      ]
      for (const ripgrep of helpers) {
        for (const more of [{}, { sandbox: unheld }]) {
          const files = place.holding(all(`${place.reach}/`), { ripgrep, ...more })
          expect(yield* files.search(place.reach, { pattern: "alpha" })).toEqual(expected)
        }
      }
    })
  )

  it.scoped("it is killed with the search", () =>
    Effect.gen(function* () {
      const place = yield* rig()
      tree(place)
      const path = helper(place, "rg", "setInterval(() => {}, 1000)")
      const files = place.holding(all(`${place.reach}/`), { ripgrep: path, sandbox: unheld })
      const fiber = yield* Effect.fork(files.search(place.reach, { pattern: "alpha" }))
      const turn = Effect.async<void>((resume) => {
        setImmediate(() => resume(Effect.void))
      })
      yield* Effect.repeat(turn, {
        until: () => existsSync(`${path}.log`) && readFileSync(`${path}.log`).length > 0
      })
      yield* Fiber.interrupt(fiber)
      const { pid } = JSON.parse(readFileSync(`${path}.log`, "utf8"))
      expect(() => process.kill(pid, 0)).toThrow("ESRCH")
    })
  )

  it.scoped.runIf(canHold)("it is held to the tree that it searches, which it cannot change", () =>
    Effect.gen(function* () {
      const place = yield* rig()
      place.put("a.ts", "alpha\n")
      // It says that it found something if, and only if, it is not held.
      const tried = [`[ -e ${place.outside}/secret ]`, "[ -e /etc/shadow ]", "(echo x >made) 2>/dev/null"]
      // Its own /tmp it may write, and that is nobody else's.
      const made = `(echo x >${place.outside}/made) 2>/dev/null`
      const path = join(place.outside, "rg")
      writeFileSync(
        path,
        `#!/bin/sh\n${made}\n${tried.map((one) => `${one} && printf './a.ts\\0'`).join("\n")}\nexit 1\n`
      )
      chmodSync(path, 0o755)
      const search = (sandbox?: Holder["sandbox"]) =>
        place
          .holding(all(`${place.reach}/`), { ripgrep: path, ...(sandbox === undefined ? {} : { sandbox }) })
          .search(place.reach, { pattern: "alpha" })
      expect((yield* search()).matches).toEqual([])
      expect([existsSync(join(place.reach, "made")), existsSync(join(place.outside, "made"))]).toEqual([
        false,
        false
      ])
      expect((yield* search(unheld)).matches).not.toEqual([])
    })
  )

  it.scoped.runIf(canHold)("it is killed with the search, held", () =>
    Effect.gen(function* () {
      const place = yield* rig()
      place.put("a.ts", "alpha\n")
      const { asleep, command, sleepers } = sleep()
      const path = join(place.outside, "rg")
      writeFileSync(path, `#!/bin/sh\nexport PATH=/usr/bin:/bin; setsid ${command} & ${command}\n`)
      chmodSync(path, 0o755)
      const files = place.holding(all(`${place.reach}/`), { ripgrep: path })
      const fiber = yield* Effect.fork(files.search(place.reach, { pattern: "alpha" }))
      yield* asleep(2)
      yield* Fiber.interrupt(fiber)
      expect(sleepers()).toEqual([])
    })
  )

  it.scoped("it is found on the search path, by absolute directories only", () =>
    Effect.gen(function* () {
      const place = yield* rig()
      const path = helper(place, "rg", "")
      mkdirSync(join(place.reach, "rg"))
      expect(find(`relative:${place.reach}:${place.outside}`)?.binary).toBe(path)
      expect(find(".:")).toBe(undefined)
      expect(find(undefined)).toBe(undefined)
    })
  )
})

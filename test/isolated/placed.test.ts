/**
 * A module that asks where it is: it is one file all the same, finds what it is made of where it would without a bundle, and
 * nothing else. The threat: a module that says where it is to be shown more than that.
 */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Tool } from "bailiwick"
import * as Isolated from "bailiwick/isolated"
import { Effect, Logger, LogLevel } from "effect"
import { root } from "../../scripts/lib/project.js"
import { bundle } from "../../src/isolated/code/bundle.js"
import { directory } from "./world.js"

const kept = directory()

/** Compiled code that is installed here. */
const NATIVE = join(root, `node_modules/@parcel/watcher-linux-${process.arch}-glibc/watcher.node`)

const filled = (files: Readonly<Record<string, string>>): string => {
  const folder = directory()
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return folder
}

/** A tool that answers with what an expression gives. */
const answering = (expression: string): string => `import { Tool } from "bailiwick"
import { Effect, Schema } from "effect"
export const answer = Tool.make({
  name: "answer",
  description: "Answers",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () => Effect.sync(() => (${expression}))
})
`

type Answering = { readonly answer: Tool.Tool<"answer", {}, unknown, never, {}> }

const answerOf = (file: string, options: Isolated.Options = {}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const kit = yield* Isolated.toolkit<Answering>(pathToFileURL(file), { directory: kept, ...options })
      return yield* Tool.run(kit.answer, {})
    })
  )

const SECRET = "TOKEN=s3cr3t"

const around = {
  "package.json": '{ "type": "module" }',
  ".env": SECRET,
  "other.js": SECRET,
  "data.cjs": "module.exports = 'required'",
  "node_modules/.cache/kept.js": SECRET,
  "node_modules/others/index.js": SECRET,
  "node_modules/modern/package.json": '{ "name": "modern", "type": "module", "main": "index.js" }',
  "node_modules/modern/index.js": `import { readFileSync } from "node:fs"
export const modern = () => readFileSync(new URL("./table.txt", import.meta.url), "utf8")`,
  "node_modules/modern/table.txt": "of a module",
  "node_modules/classic/package.json": '{ "name": "classic", "main": "index.js" }',
  "node_modules/classic/index.js": `"use strict"
const { readFileSync } = require("fs")
const { join } = require("path")
exports.classic = () => readFileSync(join(__dirname, "table.txt"), "utf8")
exports.file = __filename
exports.isStrict = (function () { return this === undefined })()`,
  "node_modules/classic/table.txt": "of a script"
}

const UNSEEN = [
  "./.env",
  "./other.js",
  "./node_modules/.cache/kept.js",
  "./node_modules/others/index.js",
  "."
]

const looking = answering(`{
  meta: [import.meta.url, import.meta.filename, import.meta.dirname],
  asked: Object.keys(import.meta).sort(),
  required: required("./data.cjs"),
  packages: [modern(), classic(), file, isStrict],
  unseen: ${JSON.stringify(UNSEEN)}.map((one) => {
    try { return readdirSync(dirname) && readFileSync(new URL(one, import.meta.url), "utf8") } catch (error) { return error.code }
  }),
  listed: readdirSync(import.meta.dirname).sort()
}`)

const IMPORTS = `import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { modern } from "modern"
import { classic, file, isStrict } from "classic"
const { dirname } = import.meta
const required = createRequire(import.meta.url)
// What it needs is named, so that it is there: require("./data.cjs")
`

describe("a module that asks where it is", () => {
  const ways = [
    ["at once", "tool.ts", "const typed: string = dirname\n", "cjs", []],
    ["and waits while it is loaded", "late.mts", "await Promise.resolve()\n", "mjs", ["resolve"]]
  ] as const

  it.live.each(ways)(
    "%s, is one file that finds what it is made of, and nothing else",
    ([, name, more, ending, resolve]) =>
      Effect.gen(function* () {
        const [folder, own] = [filled(around), directory()]
        const file = join(folder, name)
        writeFileSync(file, `#!/usr/bin/env node\n${IMPORTS}${more}${looking}`)
        const heard: Array<string> = []
        const logger = Logger.make(({ message }) => void heard.push(String(message)))
        const answer = answerOf(file, { directory: own }).pipe(
          Logger.withMinimumLogLevel(LogLevel.Debug),
          Effect.provide(Logger.replace(Logger.defaultLogger, logger))
        )
        expect(yield* answer).toEqual({
          meta: [pathToFileURL(file).href, file, folder],
          asked: ["dirname", "filename", ...resolve, "url"],
          required: "required",
          packages: ["of a module", "of a script", join(folder, "node_modules/classic/index.js"), true],
          unseen: ["ENOENT", "ENOENT", "ENOENT", "ENOENT", "EISDIR"],
          listed: ["data.cjs", "node_modules", "package.json", name].sort()
        })
        expect(
          readdirSync(own)
            .map((one) => one.slice(one.lastIndexOf(".") + 1))
            .sort()
        ).toEqual([ending, "json"].sort())
      })
  )

  it.live("of a package finds what is in its package, and nothing around that", () =>
    Effect.gen(function* () {
      const folder = filled({ ...around, "node_modules/@acme/tool/data/table.txt": "of a package" })
      const own = join(folder, "node_modules/@acme/tool")
      const seen = `const look = (at) => { try { return String(readFileSync(new URL(at, import.meta.url))) } catch (error) { return error.code } }\n`
      const looks = ["./data/table.txt", "../../../.env", "../../others/index.js", "../../classic/table.txt"]
      writeFileSync(join(own, "package.json"), '{ "name": "@acme/tool", "type": "module" }')
      writeFileSync(
        join(own, "index.js"),
        `import { readFileSync } from "node:fs"\n${seen}${answering(`${JSON.stringify(looks)}.map(look)`)}`
      )
      expect(yield* answerOf(join(own, "index.js"), { within: [own] })).toEqual([
        "of a package",
        "ENOENT",
        "ENOENT",
        "ENOENT"
      ])
    })
  )

  it.live("is not shown a package that is a link to somewhere else", () =>
    Effect.gen(function* () {
      const [folder, elsewhere] = [filled(around), filled({ "package.json": "{}", "private.txt": SECRET })]
      symlinkSync(elsewhere, join(folder, "node_modules/linked"))
      const own = join(folder, "node_modules/stranger")
      const real = join(folder, "packages/stranger")
      mkdirSync(own)
      mkdirSync(real, { recursive: true })
      symlinkSync(real, join(folder, "node_modules/near"))
      for (const [place, words, within] of [
        [own, '// from "linked"', [own]],
        [real, "", [real, join(folder, "node_modules/near")]]
      ] as const) {
        writeFileSync(join(place, "package.json"), '{ "type": "module", "dependencies": { "linked": "*" } }')
        const file = join(place, "index.js")
        writeFileSync(file, `${words}\n${answering("import.meta.url")}`)
        const refused = yield* Effect.flip(answerOf(file, { within }))
        expect(refused).toMatchObject({
          code: "MODULE_NOT_LOADED",
          message: expect.stringContaining("no package of its own")
        })
      }
    })
  )

  it.live("and where its imports would lead is answered as without a bundle, be it a package that asks", () =>
    Effect.gen(function* () {
      const folder = filled({
        ...around,
        "node_modules/resolving/index.mjs": `const { resolve } = import.meta
export const found = (...asked) => resolve(...asked)`,
        "node_modules/resolving/package.json": '{ "exports": "./index.mjs" }'
      })
      const own = ["modern", "effect", "./data.cjs", "../up.js", "node:fs"].map(
        (one) => `import.meta.resolve("${one}")`
      )
      writeFileSync(
        join(folder, "tool.ts"),
        `import { found } from "resolving"\nconst failed = (run) => { try { return run() } catch (error) { return error.code } }\n${answering(
          `[${own.join(", ")}, import.meta.resolve("./x.js", "file:///etc/y.js"), found("./x.js"), failed(() => import.meta.resolve("oth" + "ers"))]`
        )}`
      )
      const at = (path: string) => pathToFileURL(path).href
      expect(yield* answerOf(join(folder, "tool.ts"))).toEqual([
        at(join(folder, "node_modules/modern/index.js")),
        at(join(root, "node_modules/effect/dist/esm/index.js")),
        at(join(folder, "data.cjs")),
        at(join(dirname(folder), "up.js")),
        "node:fs",
        "file:///etc/x.js",
        at(join(folder, "node_modules/resolving/x.js")),
        "ERR_MODULE_NOT_FOUND"
      ])
    })
  )

  it.live("loads what is compiled in a package, and none that lies elsewhere", () =>
    Effect.gen(function* () {
      const folder = filled({
        "package.json": '{ "type": "module" }',
        "node_modules/compiled/package.json": '{ "name": "compiled", "main": "index.node" }'
      })
      copyFileSync(NATIVE, join(folder, "node_modules/compiled/index.node"))
      copyFileSync(NATIVE, join(folder, "near.node"))
      const using = (specifier: string) =>
        `import compiled from "${specifier}"\n${answering("typeof compiled.subscribe")}`
      writeFileSync(join(folder, "tool.ts"), using("compiled"))
      writeFileSync(join(folder, "late.ts"), `await Promise.resolve()\n${using("compiled")}`)
      writeFileSync(join(folder, "near.ts"), using("./near.node"))
      expect(yield* answerOf(join(folder, "tool.ts"))).toBe("function")
      expect(yield* answerOf(join(folder, "late.ts"))).toBe("function")
      const refused = yield* Effect.flip(answerOf(join(folder, "near.ts")))
      expect(refused).toMatchObject({ message: expect.stringContaining("which is no code of its own") })
    })
  )

  it.live("and uses a name of ours is refused in words", () =>
    Effect.gen(function* () {
      const folder = filled({
        "named.ts": `const bailiwickPlace = { url: "file:///etc/" }\n${answering("bailiwickPlace.url + import.meta.url")}`
      })
      const refused = yield* Effect.flip(answerOf(join(folder, "named.ts")))
      expect(refused).toMatchObject({
        message: expect.stringMatching(/^MODULE_NOT_LOADED: .*already been declared/)
      })
    })
  )

  it("only in words has a snapshot, as any other", async () => {
    const folder = filled({ "words.ts": `/* __dirname */\n${answering('"import.meta.url, and __dirname"')}` })
    expect((await bundle(join(folder, "words.ts"))).isPlaced).toBe(false)
  })
})

it.live(
  "a package that asks for what is not there misses it when it asks, and is one file all the same",
  () =>
    Effect.gen(function* () {
      const folder = filled({
        "package.json": '{ "type": "module" }',
        "node_modules/asking/package.json": '{ "name": "asking" }',
        "node_modules/asking/index.js": `const codeOf = (error) => error.code
exports.faster = () => require("no-such-package")
exports.built = () => require("./build/no-such-file")
exports.later = () => import("no-such-package").then(() => "found", codeOf)`
      })
      writeFileSync(
        join(folder, "tool.js"),
        `import { built, faster, later } from "asking"
const failed = (run) => { try { return run() } catch (error) { return error.code } }
const waited = await later()\n${answering("[failed(faster), failed(built), waited]")}`
      )
      expect((yield* Effect.promise(() => bundle(join(folder, "tool.js")))).format).toBe("esm")
      expect(yield* answerOf(join(folder, "tool.js"))).toEqual([
        "MODULE_NOT_FOUND",
        "MODULE_NOT_FOUND",
        "ERR_MODULE_NOT_FOUND"
      ])
    })
)

it.live("where a link stands in the place of what is kept, nothing is made", () =>
  Effect.gen(function* () {
    const [folder, elsewhere] = [filled({ "tool.mjs": answering("1") }), directory()]
    chmodSync(elsewhere, 0o755)
    symlinkSync(elsewhere, join(folder, "kept"))
    const refused = yield* Effect.flip(
      answerOf(join(folder, "tool.mjs"), { directory: join(folder, "kept") })
    )
    expect(refused).toMatchObject({ code: "MODULE_NOT_LOADED" })
    expect(readdirSync(elsewhere)).toEqual([])
    expect(statSync(elsewhere).mode & 0o777).toBe(0o755)
  })
)

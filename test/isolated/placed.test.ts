/**
 * A module that asks where it is: it is one file all the same, finds what it is made of where it would without a bundle, and
 * nothing else. The threat: a module that says where it is to be shown more than that.
 */
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Tool } from "bailiwick"
import * as Isolated from "bailiwick/isolated"
import { Effect, Logger, LogLevel } from "effect"
import { bundle } from "../../src/isolated/code/bundle.js"
import { directory } from "./world.js"

const kept = directory()

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
    ["at once", "tool.ts", "const typed: string = dirname\n", "cjs"],
    ["and waits while it is loaded", "late.mts", "await Promise.resolve()\n", "mjs"]
  ] as const

  it.live.each(ways)(
    "%s, is one file that finds what it is made of, and nothing else",
    ([, name, more, ending]) =>
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
          asked: ["dirname", "filename", "url"],
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
      mkdirSync(own)
      writeFileSync(join(own, "package.json"), '{ "type": "module", "dependencies": { "linked": "*" } }')
      const file = join(own, "index.js")
      writeFileSync(file, `// from "linked"\n${answering("import.meta.url")}`)
      const refused = yield* Effect.flip(answerOf(file, { within: [own] }))
      expect(refused).toMatchObject({
        code: "MODULE_NOT_LOADED",
        message: expect.stringContaining("no package of its own")
      })
    })
  )

  it.live("and for more than that is refused in words, be it a package that asks", () =>
    Effect.gen(function* () {
      const resolving = "export const found = (name) => import.meta.resolve(name)"
      const folder = filled({
        ...around,
        "node_modules/resolving/index.mjs": resolving,
        "node_modules/resolving/package.json": '{ "exports": "./index.mjs" }',
        "own.ts": answering('import.meta.resolve("effect")'),
        "theirs.ts": `import { found } from "resolving"\n${answering('found("effect")')}`,
        "named.ts": `const bailiwickPlace = { url: "file:///etc/" }\n${answering("bailiwickPlace.url + import.meta.url")}`
      })
      const refusal = (name: string) =>
        Effect.map(Effect.flip(answerOf(join(folder, name))), (error) =>
          String(Reflect.get(Object(error), "message"))
        )
      for (const name of ["own.ts", "theirs.ts"]) {
        expect(yield* refusal(name), name).toMatch(/^MODULE_NOT_LOADED: .*asks for import\.meta\.resolve/)
      }
      expect(yield* refusal("named.ts")).toMatch(/^MODULE_NOT_LOADED: .*already been declared/)
    })
  )

  it("only in words has a snapshot, as any other", async () => {
    const folder = filled({ "words.ts": `/* __dirname */\n${answering('"import.meta.url, and __dirname"')}` })
    expect((await bundle(join(folder, "words.ts"))).isPlaced).toBe(false)
  })
})

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

/**
 * A module without esbuild, started from a pack of its files: it is as Node would load them. The threat: a module that has the
 * host believe what it says of its files, or that comes by a second copy of what tells tools apart.
 */
import { execFile } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { installed } from "../installed.js"
import { directory } from "./world.js"

const MAIN = `import * as Isolated from "bailiwick/isolated"
import { Tool } from "bailiwick"
import { Effect, Logger, LogLevel } from "effect"
const [directory, ...names] = process.argv.slice(2)
const heard = []
const logger = Logger.make(({ message }) => void heard.push(String(message)))
const run = (name) => Effect.scoped(Effect.gen(function* () {
  const from = heard.length
  const kit = yield* Isolated.toolkit(new URL(name, import.meta.url), { directory, spares: 0 })
  const answer = yield* Tool.run(kit.answer, {})
  const said = heard.slice(from).find((one) => one.includes("is started from"))
  return { form: said?.replace(/.*is started from its (\\w+): .*/s, "$1"), answer }
})).pipe(Effect.catchAll(({ code, message }) => Effect.succeed({ code, message, heard })))
const all = Effect.all(names.map(run), { concurrency: process.env.AT_ONCE === undefined ? 1 : names.length })
const quiet = all.pipe(Logger.withMinimumLogLevel(LogLevel.Debug), Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
console.log(JSON.stringify(await Effect.runPromise(quiet)))`

/** A tool that answers with what an expression gives, or promises. */
const answering = (expression: string, before = ""): string => `import { Tool } from "bailiwick"
import { Effect, Schema } from "effect"
${before}
const failed = async (run) => { try { return await run() } catch (error) { return error.code ?? error.message } }
export const answer = Tool.make({
  name: "answer", description: "Answers", parameters: Schema.Struct({}), capabilities: {},
  execute: () => Effect.promise(async () => (${expression}))
})
`

interface Ran {
  readonly form?: string
  readonly answer?: unknown
  readonly code?: string
  readonly message?: string
  readonly heard?: ReadonlyArray<string>
}

class Folder {
  readonly path = directory()
  readonly kept = join(this.path, "kept")

  static async with(files: Readonly<Record<string, string>>): Promise<Folder> {
    const made = new Folder()
    made.put({ "package.json": '{ "type": "module" }', "main.js": MAIN, ...files })
    mkdirSync(join(made.path, "node_modules"), { recursive: true })
    symlinkSync(await installed(), join(made.path, "node_modules/bailiwick"))
    symlinkSync(join(root, "node_modules/effect"), join(made.path, "node_modules/effect"))
    return made
  }

  /** As installers do that keep packages in a place of their own, with links beside each to what it needs. */
  async apart(): Promise<void> {
    const beside = join(directory(), "node_modules")
    const home = join(beside, "bailiwick")
    cpSync(await installed(), home, { recursive: true })
    const { dependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
    for (const name of ["effect", ...Object.keys(dependencies)]) {
      symlinkSync(join(root, "node_modules", name), join(beside, name))
    }
    unlinkSync(join(this.path, "node_modules/bailiwick"))
    symlinkSync(home, join(this.path, "node_modules/bailiwick"))
  }

  put(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, name)), { recursive: true })
      writeFileSync(join(this.path, name), text)
    }
  }

  async run(names: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Promise<ReadonlyArray<Ran>> {
    const hooks = pathToFileURL(join(root, "scripts/package/withoutEsbuild.mjs")).href
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--import", hooks, "main.js", this.kept, ...names],
      { cwd: this.path, env: { ...process.env, ...env } }
    )
    return JSON.parse(stdout)
  }

  async answer(name = "./tool.js"): Promise<Ran> {
    const [ran] = await this.run([name])
    return ran ?? {}
  }

  named(ending: string): ReadonlyArray<string> {
    return readdirSync(this.kept)
      .filter((name) => name.endsWith(`.${ending}`))
      .map((name) => join(this.kept, name))
  }
}

const packed = (answer: unknown): Ran => ({ form: "pack", answer })

describe("a module that is started from a pack", () => {
  it("has cycles, live bindings, export *, what waits, data and scripts, each once and in order", async () => {
    const folder = await Folder.with({
      "order.js": "globalThis.order = []\nexport const add = (one) => void globalThis.order.push(one)",
      "even.js": `import { isOdd, note } from "./odd.js"
export const isEven = (n) => n === 0 || isOdd(n - 1)
export const noted = () => note`,
      "odd.js": `import { isEven } from "./even.js"
export const isOdd = (n) => n !== 0 && isEven(n - 1)
export let note = "before"
export const change = () => { note = "after" }`,
      "all.js":
        'export * from "./odd.js"\nexport * as even from "./even.js"\nexport { default as data } from "./data.json" with { type: "json" }',
      "data.json": '\uFEFF{ "some": ["data"] }',
      "late.js":
        'import { add } from "./order.js"\nexport const late = await Promise.resolve("late")\nadd("late")',
      "node_modules/classic/package.json": '{ "name": "classic", "main": "index.js" }',
      "node_modules/classic/index.js": `globalThis.order.push("classic")
exports.first = require("./first")
exports.parent = module.parent === undefined
exports.main = require.main === module
exports.loaded = require.cache[__filename] === module
exports.later = (name) => import(name)
exports.required = () => require("modern")
exports.self = module
Object.assign(exports, { hidden: 1 })`,
      "node_modules/classic/first.js":
        '"use strict"\nexports.again = require("./index.js").first === undefined\nexports.file = __filename',
      "node_modules/modern/package.json": '{ "name": "modern", "type": "module", "exports": "./index.js" }',
      "node_modules/modern/index.js": "export const mark = {}\nexport default 1",
      "tool.js": answering(
        `{
  order: globalThis.order, data, late, isEven: even.isEven(10), noted: [before, (change(), even.noted())],
  classic: [first.again, first.file, loaded, main, Object.keys(classic).includes("hidden")],
  required: [required().mark === modern.mark, required().default, required().__esModule],
  same: [(await later("modern")) === modern, (await later("effect")).Effect === Effect, (await import("./late.js")).late],
  builtin: [readFileSync === fs.readFileSync, (await import("fs")).default === fs]
}`,
        `import { add } from "./order.js"
import { change, data, even } from "./all.js"
import { late } from "./late.js"
import classic, { first, later, loaded, main, required } from "classic"
import * as modern from "modern"
import fs, { readFileSync } from "node:fs"
const before = even.noted()
add("tool")`
      )
    })
    expect(await folder.answer()).toEqual(
      packed({
        order: ["classic", "late", "tool"],
        data: { some: ["data"] },
        late: "late",
        isEven: true,
        noted: ["before", "after"],
        classic: [true, join(folder.path, "node_modules/classic/first.js"), true, false, true],
        required: [true, 1, true],
        same: [true, true, "late"],
        builtin: [true, true]
      })
    )
  })

  it("imports as it runs what is its own, and there is one copy of each; what is not there is missed as ever", async () => {
    const folder = await Folder.with({
      "counter.js": "export let count = 0\nexport const more = () => ++count",
      "later.js": `import { more } from "./counter.js"
import { Tool } from "bailiwick"
import { Effect } from "effect"
export { Effect, Tool }
more()
export const url = import.meta.url`,
      "broken.js": 'import { nothing } from "./counter.js"',
      "throws.js": "globalThis.times = (globalThis.times ?? 0) + 1\nthrow new Error('thrown')",
      "needs.js": 'import "./throws.js"',
      "plain.json": "[1]",
      "tool.js": answering(
        `{
  same: [later.Tool === Tool, later.Effect === Effect, (await import("./counter.js")) === counter, counter.count],
  again: (await import("./" + "later.js?again")) !== later && counter.count,
  missing: [await failed(() => import("no-such-package")), await failed(() => import("./no-such-file.js")), missed],
  broken: [await failed(() => import("./broken.js")), await failed(() => import("./broken.js"))],
  thrown: [await failed(() => import("./throws.js")), await failed(() => import("./needs.js")), globalThis.times],
  data: [await failed(() => import("./plain.json")), (await import("./plain.json", { with: { type: "json" } })).default],
  odd: [await failed(() => import("./tool.js", { with: { type: "json" } })), await failed(() => import("."))],
  meta: [import.meta.url, import.meta.filename, import.meta.dirname, Object.keys(import.meta).sort(), later.url],
  resolved: [import.meta.resolve("./x.js"), import.meta.resolve("effect"), import.meta.resolve("fs")],
  argv: process.argv.slice(1)
}`,
        `import * as counter from "./counter.js"
const name = "./later.js"
const later = await import(name)
let missed
try { await import("no-such-" + "package") } catch (error) { missed = error.code }
// What it needs is named, so that it is there: import("./later.js") import("./needs.js")`
      )
    })
    const at = (name: string) => pathToFileURL(join(folder.path, name)).href
    const nothing = expect.stringContaining("does not provide an export named 'nothing'")
    expect(await folder.answer()).toEqual(
      packed({
        same: [true, true, true, 1],
        again: 2,
        missing: ["ERR_MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"],
        broken: [nothing, nothing],
        thrown: ["thrown", "thrown", 1],
        data: ["ERR_IMPORT_ASSERTION_TYPE_MISSING", [1]],
        odd: ["ERR_IMPORT_ASSERTION_TYPE_FAILED", "ERR_UNSUPPORTED_DIR_IMPORT"],
        meta: [
          at("tool.js"),
          join(folder.path, "tool.js"),
          folder.path,
          ["dirname", "filename", "resolve", "url"],
          at("later.js")
        ],
        resolved: [
          at("x.js"),
          at("../").replace(/.*/, pathToFileURL(join(root, "node_modules/effect/dist/esm/index.js")).href),
          "node:fs"
        ],
        argv: ["/entry.mjs"]
      })
    )
  })

  it("is made anew when a file, its package or the pack is changed, and never run as it was changed by another", async () => {
    const folder = await Folder.with({
      "own.js": "export const own = 1",
      "typed/package.json": "{}",
      "typed/index.js": "module.exports = typeof require",
      "tool.js": answering(
        "[own, typed]",
        'import { own } from "./own.js"\nimport typed from "./typed/index.js"'
      )
    })
    expect(await folder.answer()).toEqual(packed([1, "function"]))
    const stands = () => folder.named("pack").map((path) => statSync(path).mtimeMs)
    const before = stands()
    expect(await folder.answer()).toEqual(packed([1, "function"]))
    expect(stands()).toEqual(before)
    for (const path of [...folder.named("pack"), ...folder.named("packed")]) {
      expect(statSync(path).mode & 0o777).toBe(0o600)
    }

    folder.put({ "own.js": "export const own = 2" })
    expect(await folder.answer()).toEqual(packed([2, "function"]))
    folder.put({
      "typed/package.json": '{ "type": "module" }',
      "typed/index.js": "export default typeof require"
    })
    expect(await folder.answer()).toEqual(packed([2, "undefined"]))

    const [pack = ""] = folder.named("pack")
    const whole = readFileSync(pack)
    const other = Buffer.from(whole)
    other.set(Buffer.from("own = 3"), other.indexOf("own = 2"))
    for (const content of [other, whole.subarray(0, 100), Buffer.alloc(0), Buffer.alloc(64, 0xff)]) {
      writeFileSync(pack, content)
      expect(await folder.answer()).toEqual(packed([2, "undefined"]))
    }
    const [record = ""] = folder.named("packed")
    const made = JSON.parse(readFileSync(record, "utf8"))
    for (const content of [
      "",
      "null",
      "[]",
      JSON.stringify({ ...made, files: ["/dev/zero", "/etc/passwd"] })
    ]) {
      writeFileSync(record, content)
      expect(await folder.answer()).toEqual(packed([2, "undefined"]))
    }
  })

  it("misses a builtin module that Node has not, and a script's getter that throws is not asked", async () => {
    const folder = await Folder.with({
      "lazy.cjs": `const all = { fine: () => 1, lazy: () => require("no-such-package") }
for (const name in all) Object.defineProperty(exports, name, { enumerable: true, get: all[name] })
0 && (module.exports = { fine, lazy })`,
      "tool.js": answering(
        '[await failed(() => import("node:nothing")), lazy.fine, typeof lazy.lazy]',
        'import * as lazy from "./lazy.cjs"'
      )
    })
    expect(await folder.answer()).toEqual(packed(["ERR_UNKNOWN_BUILTIN_MODULE", 1, "undefined"]))
  })

  it("runs a script that is imported as it runs when its turn comes", async () => {
    const folder = await Folder.with({
      "first.js": "globalThis.first = 1",
      "then.cjs": "exports.had = globalThis.first",
      "late.js": 'import "./first.js"\nexport { had } from "./then.cjs"',
      "tool.js": answering("(await import('./late.js')).had")
    })
    expect(await folder.answer()).toEqual(packed(1))
  })

  it("has what the library needs where an installer links it", async () => {
    const folder = await Folder.with({
      "tool.js": answering("(await import('bailiwick')).Tool === Tool")
    })
    await folder.apart()
    expect(await folder.answer()).toEqual(packed(true))
  })

  it("is one that two programs make at once, and each runs", async () => {
    const folder = await Folder.with({ "tool.js": answering("1") })
    const [one, other] = await Promise.all([folder.answer(), folder.answer()])
    expect([one, other]).toEqual([packed(1), packed(1)])
    expect(await folder.answer()).toEqual(packed(1))
    expect(readdirSync(folder.kept).filter((name) => name.startsWith("."))).toEqual([])
  })

  it("that throws, or cannot be loaded, says so as its files do", async () => {
    const folder = await Folder.with({
      "throws.js": answering("1", 'const here = () => { throw new Error("thrown here") }\nhere()'),
      "missing.js": answering("1", 'import "no-such-package"'),
      "lacking.js": answering("1", 'import { nothing } from "node:fs"'),
      "never.js": answering("1", "await new Promise(() => {})"),
      "script.cjs": `"use strict"
const { Tool } = require("bailiwick")
const { Effect, Schema } = require("effect")
exports.answer = Tool.make({
  name: "answer", description: "Answers", parameters: Schema.Struct({}), capabilities: {},
  execute: () => Effect.promise(async () => [(await import("bailiwick")).Tool === Tool, typeof require("bailiwick/isolated").toolkit])
})
// require("bailiwick/isolated")`
    })
    const [throws, missing, lacking, never, script] = await folder.run([
      "./throws.js",
      "./missing.js",
      "./lacking.js",
      "./never.js",
      "./script.cjs"
    ])
    const ended = (...words: ReadonlyArray<string>) => ({
      code: "WORKER_ENDED",
      message: expect.stringContaining("was lost"),
      heard: expect.arrayContaining(words.map((one) => expect.stringContaining(one)))
    })
    expect(throws).toEqual(ended("thrown here", "throws.js:3:28", "is started from its pack"))
    expect(missing).toEqual(
      ended("Cannot find package 'no-such-package' imported from", "is started from its files: esbuild")
    )
    expect(lacking).toEqual(ended("does not provide an export named 'nothing'"))
    expect(never).toEqual(ended("never.js is started from its pack"))
    expect(script).toEqual(packed([true, "function"]))
  })

  it("is held as one of files: no address leads it to what it does not see, nor to a second copy", async () => {
    const folder = await Folder.with({
      ".env": "TOKEN=s3cr3t",
      "secret.js": "export default 's3cr3t'",
      "own.js": "export const own = 1",
      "tool.js": answering(
        `[
  ...await Promise.all(["file:///etc/passwd", new URL("./.env", import.meta.url).href, new URL("./sec" + "ret.js", import.meta.url).href,
    "http://127.0.0.1:1/x.js", "https://127.0.0.1:1/x.js", "file:///tool.pack", "/proc/self/environ", "blob:nodedata:1"
  ].map((one) => failed(() => import(one)))),
  (await import(data)).same === Effect, (await import("data:text/javascript;base64," + btoa("export default 7"))).default,
  (await import("data:application/json,[8]", { with: { type: "json" } })).default,
  (await new Function("return import('effect')")()).Effect === Effect, (await eval("import('effect')")).Effect === Effect,
  existsSync("/tool.pack") && await failed(() => appendFileSync("/tool.pack", "x"))
]`,
        `import { appendFileSync, existsSync } from "node:fs"
const data = "data:text/javascript," + encodeURIComponent("export { Effect as same } from " + JSON.stringify(import.meta.resolve("effect")))`
      )
    })
    const [held] = await folder.run(["./tool.js"])
    expect(held).toMatchObject({ form: "pack" })
    expect(held?.answer).toEqual([
      ...["ERR_MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"],
      ...["ERR_UNSUPPORTED_ESM_URL_SCHEME", "ERR_UNSUPPORTED_ESM_URL_SCHEME", "ERR_UNKNOWN_FILE_EXTENSION"],
      ...[expect.stringContaining("Invalid regular expression"), "ERR_UNSUPPORTED_ESM_URL_SCHEME"],
      ...[true, 7, [8], true, true, "EROFS"]
    ])
  })
})

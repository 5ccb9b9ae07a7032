/**
 * What an author sees while writing a tool: the real tsserver of each compiler reads a file of finished tools and
 * one of unfinished ones, and is asked what an editor asks.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { root, scratch } from "../../scripts/lib/project.js"
import { deep } from "../deep.js"
import { type Diagnostic, type Location, start, type Tsserver } from "./tsserver.js"

const finished = readFileSync(join(root, "test/editor/tools.ts.txt"), "utf8").split("\n")

/** The lines of a tool in the file of finished tools, both ends included. */
const linesOf = (tool: string) => {
  const first = finished.findIndex((line) => line.startsWith(`export const ${tool} =`))
  return { first: first + 1, last: finished.indexOf("})", first) + 1 }
}

/** Where the name of a tool's option stands. */
const placeOf = (tool: string, option: string) => {
  const line = finished.findIndex(
    (text, index) => index >= linesOf(tool).first && text.startsWith(`  ${option}:`)
  )
  return { start: { line: line + 1, offset: 3 }, end: { line: line + 1, offset: 3 + option.length } }
}

const nameOf = (constant: string): Location => {
  const before = "export const "
  const line = finished.findIndex((text) => text.startsWith(`${before}${constant} =`))
  return { line: line + 1, offset: before.length + 1 }
}

/** The tool, the sentence, and the option it is written under. */
const mistakes: ReadonlyArray<readonly [tool: string, sentence: string, option: string]> = [
  ["undeclaredBinary", "capability not declared: process.allowedBinaries needs 'git'", "capabilities"],
  ["undeclaredHost", "capability not declared: network.allowedHosts needs 'evil.example'", "capabilities"],
  ["unknownCategory", "unknown capability 'netwrok': did you mean 'network'?", "capabilities"],
  ["urlForHost", "network.allowedHosts: 'https://api.weather.gov' is not a bare host name", "capabilities"],
  [
    "undeclaredFailure",
    "failure not declared: write 'failure: Unlucky' where Unlucky is a Schema.TaggedError, add it to the Schema.Union that is there, or handle it with Effect.catchTag('Unlucky', …)",
    "execute"
  ]
]

const categories = [
  "agents",
  "attachments",
  "fs_reach",
  "network",
  "process",
  "records",
  "secrets",
  "storage"
]

const without = (category: string) => categories.filter((other) => other !== category)

interface Unfinished {
  readonly what: string
  /** The declaration as far as it is written, and `|` where the cursor is. */
  readonly capabilities: string
  readonly offers: ReadonlyArray<string>
  readonly maker?: string
  readonly execute?: string
}

const asksForAHost = '() => Network.get("https://api.weather.gov/points")'

const unfinished: ReadonlyArray<Unfinished> = [
  { what: "the categories", capabilities: "{ | }", offers: categories },
  {
    what: "the categories of an exact tool",
    maker: "exact",
    capabilities: "{ | }",
    offers: categories
  },
  {
    what: "the other categories after one",
    capabilities: '{ secrets: ["KEY"], | }',
    offers: without("secrets")
  },
  {
    what: "the other categories before one",
    capabilities: '{ |, secrets: ["KEY"] }',
    offers: without("secrets")
  },
  {
    what: "the categories after the first letter",
    capabilities: '{ secrets: ["KEY"], n| }',
    offers: without("secrets")
  },
  {
    what: "the scopes of storage",
    capabilities: '{ storage: { kind: "kv", scope: "|" } }',
    offers: ["personality", "session", "tool-private"]
  },
  {
    what: "the kinds of storage",
    capabilities: '{ storage: { scope: "session", kind: "|" } }',
    offers: ["kv"]
  },
  { what: "what may be read", capabilities: '{ fs_reach: { read: "|" } }', offers: ["from-personality"] },
  { what: "what may be written", capabilities: '{ fs_reach: { write: "|" } }', offers: ["from-personality"] },
  {
    what: "the kinds of attachments",
    capabilities: '{ attachments: { kinds: ["|"] } }',
    offers: ["audio", "file", "image"]
  },
  {
    what: "the verbs of records",
    capabilities: '{ records: { verbs: ["|"] } }',
    offers: ["create", "delete", "read", "update"]
  },
  {
    what: "the verbs of agents",
    capabilities: '{ agents: { verbs: ["|"] } }',
    offers: ["create", "delete", "grant", "update"]
  },
  {
    what: "the kinds of attachments, when something else is not declared yet",
    capabilities: '{ attachments: { kinds: ["|"] } }',
    execute: asksForAHost,
    offers: ["audio", "file", "image"]
  },
  {
    what: "the categories, when something is not declared yet",
    capabilities: "{ | }",
    execute: asksForAHost,
    offers: categories
  },
  { what: "the keys of network", capabilities: "{ network: { | } }", offers: ["allowedHosts", "for"] },
  {
    what: "the keys of network, when its host is not declared yet",
    capabilities: "{ network: { | } }",
    execute: asksForAHost,
    offers: ["allowedHosts", "for"]
  },
  {
    what: "the keys of storage",
    capabilities: "{ storage: { | } }",
    offers: ["kind", "scope", "ttlSecondsDefault"]
  },
  { what: "the keys of fs_reach", capabilities: "{ fs_reach: { | } }", offers: ["read", "write"] },
  { what: "the keys of process", capabilities: "{ process: { | } }", offers: ["allowedBinaries"] },
  { what: "the keys of attachments", capabilities: "{ attachments: { | } }", offers: ["kinds"] },
  { what: "the keys of records", capabilities: "{ records: { | } }", offers: ["classes", "verbs"] },
  { what: "the keys of agents", capabilities: "{ agents: { | } }", offers: ["ids", "verbs"] }
]

const preamble = `import { Network, Tool } from "bailiwick"
import { Effect, Schema } from "effect"
const shared = { name: "unfinished", description: "", parameters: Schema.Struct({ x: Schema.String }) }
void Network`.split("\n")

/** One tool on one line, with the cursor still in it. */
const lineOf = ({ maker = "make", capabilities, execute = "({ x }) => Effect.succeed(x)" }: Unfinished) =>
  `Tool.${maker}({ ...shared, capabilities: ${capabilities}, execute: ${execute} })`

const cursorOf = (tool: Unfinished): Location => ({
  line: preamble.length + unfinished.indexOf(tool) + 1,
  offset: lineOf(tool).indexOf("|") + 1
})

let folder = ""
const file = (name: string) => join(folder, name)

beforeAll(() => {
  mkdirSync(scratch, { recursive: true })
  folder = mkdtempSync(join(scratch, "editor-"))
  const settings = { extends: "../../tsconfig.json", include: ["*.ts"] }
  writeFileSync(file("tsconfig.json"), JSON.stringify(settings))
  writeFileSync(file("finished.ts"), finished.join("\n"))
  const lines = [...preamble, ...unfinished.map((tool) => lineOf(tool).replace("|", ""))]
  writeFileSync(file("unfinished.ts"), lines.join("\n"))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The sentences are the same on both, as the type tests say; how they are shown is asked of both in the deep. */
const compilers = [
  ["5.9", "typescript"],
  ["6.0", "typescript6"]
] as const

describe.each(deep ? compilers : compilers.slice(0, 1))(
  "an editor with TypeScript %s",
  (version, compiler) => {
    let server: Tsserver | undefined
    let diagnostics: ReadonlyArray<Diagnostic> = []

    const diagnosticsOf = (tool: string) => {
      const { first, last } = linesOf(tool)
      return diagnostics
        .filter(({ start, end }) => start.line <= last && end.line >= first)
        .map(({ start, end, text }) => ({ start, end, text }))
    }

    const ask: Tsserver["ask"] = (command, args) => {
      if (server === undefined) throw new Error("tsserver was not started")
      return server.ask(command, args)
    }

    const quickInfo = async (constant: string) => {
      const { displayString } = await ask("quickinfo", { file: file("finished.ts"), ...nameOf(constant) })
      return displayString
    }

    const completions = async (tool: Unfinished) => {
      const { entries } = await ask("completionInfo", { file: file("unfinished.ts"), ...cursorOf(tool) })
      return entries.map(({ name }) => name).sort()
    }

    beforeAll(async () => {
      server = start(compiler)
      server.open(file("finished.ts"))
      server.open(file("unfinished.ts"))
      diagnostics = await ask("semanticDiagnosticsSync", { file: file("finished.ts") })
    })

    afterAll(() => server?.stop())

    it("is what it says it is", async () => {
      expect((await ask("status", {})).version).toMatch(new RegExp(`^${version}\\.`))
    })

    it("has nothing to say about a correct tool", () => {
      expect(linesOf("weather").last).toBeGreaterThan(linesOf("weather").first)
      expect(diagnosticsOf("weather")).toEqual([])
    })

    it.each(mistakes)("says of %s: %s, on its %s and nowhere else", (tool, sentence, option) => {
      const text = expect.stringContaining(`is not assignable to type '"${sentence}"'.`)
      expect(diagnosticsOf(tool)).toEqual([{ ...placeOf(tool, option), text }])
    })

    it("has nothing to say beside these mistakes", () => {
      expect(diagnostics.length).toBe(mistakes.length)
    })

    it("shows of a tool, in few words, what it is and what it reaches", async () => {
      const text = await quickInfo("weather")
      expect(text).toContain('const weather: Tool.Tool<"get_weather", {')
      expect(text).toContain("string, NetworkError | SecretsError, {")
      expect(text).toContain('readonly allowedHosts: readonly ["api.weather.gov", "*.github.com"];')
      expect(text).toContain('readonly secrets: readonly ["WEATHER_API_KEY"];')
      expect(text).not.toMatch(/Pending|\.\.\.|\bany\b|\bunknown\b/)
      expect(text.length).toBeLessThan(400)
    })

    it("shows of the run of a tool, in few words, what it reaches and how it fails", async () => {
      const text = await quickInfo("run")
      expect(text).toContain("const run: Effect.Effect<string, NetworkError | SecretsError, ")
      expect(text).toContain('"api.weather.gov"')
      expect(text).toContain('"WEATHER_API_KEY"')
      expect(text).not.toMatch(/Pending|\.\.\.|\bany\b|\bunknown\b/)
      expect(text.length).toBeLessThan(400)
    })

    for (const tool of unfinished) {
      it(`completes ${tool.what}: ${tool.capabilities}`, async () => {
        expect(await completions(tool)).toEqual(tool.offers)
      })
    }

    it("shows the services that the run of a tool requires, and no type of ours", async () => {
      expect(await quickInfo("run")).toContain('Network.Host<"api.weather.gov">')
    })
  }
)

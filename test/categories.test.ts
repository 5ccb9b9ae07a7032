/**
 * One table of categories drives all who walk them. The proof is a compiler: a copy of the sources gets one more
 * category, everywhere that one must be written down, and compiles; with any of these places forgotten it does not.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { commandOf, root, scratch } from "../scripts/lib/project.js"
import { Capabilities, categories, categoryNames } from "../src/capabilities/Capabilities.js"
import { capabilities } from "../src/policy/lattice/Facets.js"
import { deep } from "./deep.js"

/** A line that a new category adds to a file, behind a line that is there. */
interface Place {
  readonly what: string
  readonly file: string
  readonly after: string
  readonly line: string
}

const TABLE = "capabilities/Capabilities.ts"

/** It is called `weather`, and otherwise like `network`, so that nothing but the table is new. */
const declared: Place = {
  what: "the declaration",
  file: TABLE,
  after: '  readonly network?: { readonly allowedHosts: ReadonlyArray<string>; readonly for?: "children" }',
  line: "  readonly weather?: { readonly allowedHosts: ReadonlyArray<string> }"
}

const consumers: ReadonlyArray<Place> = [
  {
    what: "what it is made of: schema, error, backends, facet, aliases, authority, services",
    file: TABLE,
    after: "  network: NetworkCategory.category,",
    line: "  weather: NetworkCategory.category,"
  },
  {
    what: "the list in the compiler's sentence",
    file: TABLE,
    after: 'type Listed = "network, ',
    line: "weather, "
  },
  {
    what: "what a declaration supplies",
    file: TABLE,
    after: "  readonly network: Network.Supplied<D>",
    line: "  readonly weather: Network.Supplied<D>"
  },
  {
    what: "what is said of use that is not declared",
    file: TABLE,
    after: "  readonly network: NetworkCategory.Complaint<X>",
    line: "  readonly weather: NetworkCategory.Complaint<X>"
  },
  {
    what: "what is said of a declaration that is not used",
    file: TABLE,
    after: "  readonly network: NetworkCategory.Unused<R, D>",
    line: "  readonly weather: NetworkCategory.Unused<R, D>"
  },
  {
    what: "its topic among the error codes",
    file: "registry/errorCodes/ErrorCode.ts",
    after: "const ofCategories = {",
    line: "  weather: network,"
  },
  {
    what: "its backend on the command line",
    file: "cli/backends.ts",
    after: "const loaders: { readonly [C in Category]: ReadonlyArray<Loader> } = {",
    line: "  weather: [files],"
  }
]

let folder = ""

beforeAll(() => {
  mkdirSync(scratch, { recursive: true })
  folder = mkdtempSync(join(scratch, "categories-"))
  cpSync(join(root, "src"), join(folder, "src"), { recursive: true })
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.json", include: ["src"], exclude: ["src/page"] })
  )
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const written = (text: string, { after, line }: Place): string => {
  expect(text.split(after).length).toBe(2)
  return text.replace(after, line.startsWith("  ") ? `${after}\n${line}` : `${after}${line}`)
}

/** The files that do not compile when these lines are written and no others. */
const complaining = async (places: ReadonlyArray<Place>): Promise<ReadonlyArray<string>> => {
  for (const file of new Set(consumers.map((place) => place.file))) {
    const original = readFileSync(join(root, "src", file), "utf8")
    const mine = places.filter((place) => place.file === file)
    writeFileSync(join(folder, "src", file), mine.reduce(written, original))
  }
  const output = await new Promise<string>((done) =>
    execFile(
      process.execPath,
      [
        commandOf("typescript7", "tsc"),
        "--noEmit",
        "--singleThreaded",
        "--pretty",
        "false",
        "--project",
        folder
      ],
      { maxBuffer: 1 << 26 },
      (_error, stdout) => done(stdout)
    )
  )
  const files = output.match(/(?<=^|\/)src\/\S+?(?=\(\d+,\d+\): error)/gm) ?? []
  return [...new Set(files.map((file) => file.slice("src/".length)))].sort()
}

describe("a new category", () => {
  it("compiles once it stands everywhere that one must", async () => {
    expect(await complaining([declared, ...consumers])).toEqual([])
  })

  it("that is only declared is missed by everybody who walks the table", async () => {
    const missed = await complaining([declared])
    for (const { file } of consumers) expect(missed).toContain(file)
  })

  it.runIf(deep).each(consumers)("is not forgotten: $what", async (place) => {
    expect(await complaining([declared, ...consumers.filter((one) => one !== place)])).not.toEqual([])
  })

  it("touches few files beside its own folder", () => {
    expect(new Set([declared, ...consumers].map(({ file }) => file)).size).toBeLessThanOrEqual(3)
  })
})

describe("the table", () => {
  it("describes every key of a declaration, and nothing else", () => {
    expect(categoryNames).toEqual(Object.keys(categories))
    expect(Object.keys(Reflect.get(Capabilities, "fields"))).toEqual(categoryNames)
  })

  it("names facets that the lattice has, and no alias twice", () => {
    const facets = new Set<string>(capabilities.map(({ facet }) => facet))
    const aliases = categoryNames.flatMap((name): ReadonlyArray<string> => categories[name].aliases)
    for (const name of categoryNames) expect(facets).toContain(categories[name].facet)
    expect(new Set(aliases).size).toBe(aliases.length)
  })
})

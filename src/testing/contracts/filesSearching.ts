/** The cases about searches. */
import { Effect } from "effect"
import type { Files } from "../../capabilities/files/Files.js"
import { must, mustRefuse } from "./contract.js"
import { type Bench, type Definition, define } from "./filesCase.js"

/** `name:line:text` for each match, by names below the directory of the case. */
const lines = ({ path }: Bench, { matches }: Files.Found): ReadonlyArray<string> =>
  matches.map((match) => `${match.path.slice(path("").length + 1)}:${match.line}:${match.text}`)

const tree = (bench: Bench) =>
  Effect.gen(function* () {
    yield* bench.mkdir("src/deep", true)
    yield* bench.write("src.ts", "alpha first")
    yield* bench.write("src/b.ts", "one\nalpha()\nAlpha\n")
    yield* bench.write("src/deep/c.md", "\n\n[alpha] alpha\nbeta")
    yield* bench.write("z", "beta")
  })

const finding: ReadonlyArray<Definition> = [
  define("files", "a search finds the lines that match, in the order of paths", (bench) =>
    Effect.gen(function* () {
      yield* tree(bench)
      const found = yield* bench.search("", { pattern: "alpha" })
      yield* must("lines", lines(bench, found), [
        "src.ts:1:alpha first",
        "src/b.ts:2:alpha()",
        "src/deep/c.md:3:[alpha] alpha"
      ])
      yield* must("truncated", found.truncated, false)
      yield* must("below", lines(bench, yield* bench.search("src/deep", { pattern: "^b" })), [
        "src/deep/c.md:4:beta"
      ])
      yield* must("in a file", lines(bench, yield* bench.search("z", { pattern: "e" })), ["z:1:beta"])
      yield* must("nothing", yield* bench.search("", { pattern: "gamma" }), { matches: [], truncated: false })
      yield* must("the case of letters", lines(bench, yield* bench.search("src", { pattern: "Alpha" })), [
        "src/b.ts:3:Alpha"
      ])
    })
  ),
  define("files", "a search looks into the files that its glob names, at any depth", (bench) =>
    Effect.gen(function* () {
      yield* tree(bench)
      const names = (glob: string) =>
        Effect.map(bench.search("", { pattern: "alpha|beta", glob }), ({ matches }) => [
          ...new Set(matches.map((match) => match.path.slice(bench.path("").length + 1)))
        ])
      yield* must("*.ts", yield* names("*.ts"), ["src.ts", "src/b.ts"])
      yield* must("?.ts", yield* names("?.ts"), ["src/b.ts"])
      yield* must("a whole name", yield* names("z"), ["z"])
      yield* must("of none", yield* names("*.js"), [])
    })
  ),
  define("files", "a search says that there was more than its limit", (bench) =>
    Effect.gen(function* () {
      yield* bench.write("a", "x\nx\nx")
      yield* bench.write("b", "x")
      const counted = (limit: number) =>
        Effect.map(bench.search("", { pattern: "x", limit }), ({ matches, truncated }) => [
          matches.length,
          truncated
        ])
      yield* must("limit 2", yield* counted(2), [2, true])
      yield* must("limit 3", yield* counted(3), [3, true])
      yield* must("limit 4", yield* counted(4), [4, false])
    })
  ),
  define("files", "a line ends with either newline, and the last newline begins no line", (bench) =>
    Effect.gen(function* () {
      yield* bench.write("a", "one\r\ntwo\r\n")
      yield* must("lines", lines(bench, yield* bench.search("a", { pattern: "^" })), ["a:1:one", "a:2:two"])
      yield* must("an end", lines(bench, yield* bench.search("a", { pattern: "one$" })), ["a:1:one"])
    })
  ),
  define("files", "a search looks only where its holder may read", (bench) =>
    Effect.gen(function* () {
      yield* tree(bench)
      const narrow = bench.holding({ read: ["", "src.ts", "src/deep/"] })
      const found = yield* narrow.search("", { pattern: "alpha" })
      // A directory that may not be read is not entered, whatever is permitted below it.
      yield* must("lines", lines(bench, found), ["src.ts:1:alpha first"])
    })
  )
]

const queries: ReadonlyArray<Definition> = [
  define("queries", "a pattern that is none, or whose time has no bound, is refused", (bench) =>
    Effect.gen(function* () {
      yield* bench.write("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")
      for (const pattern of ["(", "[z-a]", "(?=a)", "(?<!a)b", "(a)\\1"]) {
        yield* mustRefuse(pattern, bench.search("a", { pattern }), "FILES_FAILED")
      }
      // It takes for ever where it is tried in every way.
      yield* must("lines", (yield* bench.search("a", { pattern: "^(a|aa)+$" })).matches, [])
    })
  ),
  define("queries", "a limit that is no number is refused", (bench) =>
    Effect.gen(function* () {
      yield* bench.write("a", "x")
      for (const limit of [0, -1, 1.5, Number.NaN]) {
        const search = bench.search("a", { pattern: "x", limit })
        yield* mustRefuse(`limit ${limit}`, search, "FILES_FAILED")
      }
    })
  )
]

export const searching: ReadonlyArray<Definition> = [...finding, ...queries]

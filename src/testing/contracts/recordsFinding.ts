/** The cases about questions that concern many records. */
import { Effect } from "effect"
import { code, must } from "./contract.js"
import { type Bench, type Case, define } from "./recordsCase.js"

const found = (
  bench: Bench,
  query: string,
  more: { readonly class?: string; readonly limit?: number } = {}
) =>
  Effect.map(bench.search({ query, ...more }, bench.own), (all) =>
    all.map(({ id }) => id.slice(bench.id("").length))
  )

const names = (bench: Bench, ids: ReadonlyArray<string>) => ids.map((id) => id.slice(bench.id("").length))

const searching: ReadonlyArray<Case> = [
  define("a search finds what holds all words, the last of them perhaps not to its end", (bench) =>
    Effect.gen(function* () {
      yield* bench.put("a", "the quick brown fox")
      yield* bench.put("b", "a quick answer")
      yield* bench.put("zebra", "---\ntags: [striped]\n---\nquickly")
      yield* must("one word", (yield* found(bench, "brown")).length, 1)
      yield* must("all words", yield* found(bench, "fox quick"), ["a"])
      yield* must("the start of a word at the end", yield* found(bench, "quick bro"), ["a"])
      yield* must("the start of a word before the end", yield* found(bench, "bro quick"), [])
      yield* must("the start of many", (yield* found(bench, "q")).toSorted(), ["a", "b", "zebra"])
      yield* must("by id", yield* found(bench, "zebra"), ["zebra"])
      yield* must("by tag", yield* found(bench, "striped"), ["zebra"])
      yield* must("no such word", yield* found(bench, "absent"), [])
      yield* must("toString", yield* found(bench, "toString"), [])
    })
  ),
  define("a search minds neither case nor diacritics", (bench) =>
    Effect.gen(function* () {
      yield* bench.put("a", "Caf\u00e9 Z\u00dcRICH \uff37\uff29\uff24\uff25 \u0130stanbul \u6771\u4eac\u90fd")
      yield* bench.put("b", "cafe\u0301")
      yield* must("without a mark", (yield* found(bench, "cafe")).toSorted(), ["a", "b"])
      yield* must("with one", (yield* found(bench, "CAF\u00c9")).toSorted(), ["a", "b"])
      for (const query of ["zurich", "wide", "istanbul", "\u4eac", "\u6771\u4eac"]) {
        yield* must(query, yield* found(bench, query), ["a"])
      }
    })
  ),
  define("the best come first: a title before a body, a word before the start of one", (bench) =>
    Effect.gen(function* () {
      yield* bench.put("body", "once about harbours")
      yield* bench.put("title", "---\ntitle: Harbours\n---\nother")
      yield* bench.put("often", "harbours harbours harbours")
      yield* bench.put("longer", "harboursides")
      yield* must("order", yield* found(bench, "harbours"), ["title", "often", "body", "longer"])
      const [first] = yield* bench.search({ query: "harbours" }, bench.own)
      yield* must("summary", first, { id: bench.id("title"), class: "record", title: "Harbours" })
    })
  ),
  define("a search is of a class, and of a length", (bench) =>
    Effect.gen(function* () {
      for (let i = 0; i < 25; i++) yield* bench.put(`n${i}`, `---\nclass: note\n---\nword ${i}`, "note")
      yield* bench.put("other", "word")
      yield* must("by default", (yield* found(bench, "word")).length, 20)
      yield* must("of a class", yield* found(bench, "word", { class: "record" }), ["other"])
      yield* must("of all", (yield* found(bench, "word", { limit: 1000 })).length, 26)
      yield* must("of one", (yield* found(bench, "word", { limit: 1 })).length, 1)
      for (const limit of [0, -1, 1.5, 1001, Number.NaN]) {
        yield* must(`limit ${limit}`, yield* code(found(bench, "word", { limit })), "RECORD_INVALID")
      }
      for (const query of ["", " \n", "?!", "word ".repeat(1000)]) {
        yield* must(`query ${query}`, yield* code(found(bench, query)), "RECORD_INVALID")
      }
    })
  ),
  define("what may not be seen is neither counted nor felt", (bench) =>
    Effect.gen(function* () {
      yield* bench.put("a", "---\ntitle: alpha\n---\nbeta beta")
      yield* bench.put("b", "---\ntitle: beta\n---\nalpha")
      yield* bench.put("c", "alpha beta gamma")
      const before = yield* found(bench, "alpha beta", { limit: 2 })
      for (let i = 0; i < 30; i++) yield* bench.put(`hidden${i}`, "---\ntitle: alpha\n---\nalpha alpha")
      yield* bench.put("hidden", "[[x]] alpha beta")
      const seen = yield* bench.search(
        { query: "alpha beta", limit: 2 },
        bench.seeing((head) => bench.own(head) && !head.id.includes("hidden"))
      )
      yield* must(
        "found",
        names(
          bench,
          seen.map(({ id }) => id)
        ),
        before
      )
    })
  ),
  define("what changes is found at once as it is now", (bench) =>
    Effect.gen(function* () {
      const { revision } = yield* bench.put("a", "before")
      yield* must("before", yield* found(bench, "before"), ["a"])
      const update = yield* bench.permit("update", "a")
      yield* bench.replace({ before: update, after: update }, { text: "behind", revision })
      yield* must("the old word", yield* found(bench, "before"), [])
      yield* must("the new word", yield* found(bench, "behind"), ["a"])
    })
  )
]

const listing: ReadonlyArray<Case> = [
  define("records are listed by class and tag, in the order of their ids", (bench) =>
    Effect.gen(function* () {
      yield* bench.put("b", "---\nclass: note\ntags: [x, y]\n---\n", "note")
      yield* bench.put("a/z", "---\ntags: x\ntitle: T\n---\n")
      yield* bench.put("B", "---\nclass: note\n---\n", "note")
      const listed = (filter: { readonly class?: string; readonly tag?: string }) =>
        Effect.map(bench.list(filter, bench.own), (all) =>
          names(
            bench,
            all.map(({ id }) => id)
          )
        )
      yield* must("all", yield* listed({}), ["B", "a/z", "b"])
      yield* must("of a class", yield* listed({ class: "note" }), ["B", "b"])
      yield* must("of none", yield* listed({ class: "record" }), ["a/z"])
      yield* must("with a tag", yield* listed({ tag: "x" }), ["a/z", "b"])
      yield* must("with both", yield* listed({ class: "note", tag: "x" }), ["b"])
      yield* must(
        "hidden",
        yield* bench.list(
          {},
          bench.seeing(() => false)
        ),
        []
      )
      yield* must("summaries", yield* bench.list({ tag: "x", class: "record" }, bench.own), [
        { id: bench.id("a/z"), class: "record", title: "T" }
      ])
    })
  ),
  define("links lead to records that are there and may be seen, and back", (bench) =>
    Effect.gen(function* () {
      const { id } = bench
      yield* bench.put("to", "")
      yield* bench.put("deep/to", "")
      yield* bench.put("deep/\u00e4 b", "")
      yield* bench.put(
        "deep/from",
        [
          `[[${id("to")}]] [[ ${id("deep/to")} | text ]] [[${id("none")}]] [[${id("deep/from")}]]`,
          "[a](to.md) [b](../to.md#part) [c](%C3%A4%20b.md) [d](<\u00e4 b.md> 'title') [again](./to.md)",
          "[out](../../../../../../etc/passwd.md) [web](https://example.com/to.md) [else](to.txt)",
          `[root](/${id("to")}.md)`
        ].join("\n")
      )
      const code = `\`[[${id("to")}]]\` \`\` [x](../to.md) \`\`\n\n\`\`\`\n[[${id("to")}]]\n\`\`\`\n~~~ md\n[[${id("to")}]]`
      yield* bench.put("code", code)
      const links = (name: string, see = bench.own) =>
        Effect.flatMap(bench.permit("read", name), (permit) =>
          Effect.map(bench.links(permit, see), (ids) => names(bench, ids))
        )
      const backlinks = (name: string, see = bench.own) =>
        Effect.flatMap(bench.permit("read", name), (permit) =>
          Effect.map(bench.backlinks(permit, see), (ids) => names(bench, ids))
        )
      yield* must("links", yield* links("deep/from"), ["to", "deep/to", "deep/\u00e4 b"])
      yield* must("links of code", yield* links("code"), [])
      yield* must("backlinks", yield* backlinks("to"), ["deep/from"])
      yield* must(
        "links that may not be seen",
        yield* links(
          "deep/from",
          bench.seeing(() => false)
        ),
        []
      )
      yield* must(
        "backlinks that may not be seen",
        yield* backlinks(
          "to",
          bench.seeing(() => false)
        ),
        []
      )
      yield* bench.remove(yield* bench.permit("delete", "deep/from"))
      yield* must("backlinks of what is gone", yield* backlinks("to"), [])
    })
  )
]

export const finding: ReadonlyArray<Case> = [...searching, ...listing]

/**
 * The threat: an index that forgets, that finds what is gone, or that tells by its order of what may not be seen.
 */

import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import * as MemoryRecords from "../../../src/capabilities/records/MemoryRecords.js"
import { linksOf } from "../../../src/capabilities/records/store/links.js"
import { Index } from "../../../src/capabilities/records/store/RecordIndex.js"
import { wordsOf } from "../../../src/capabilities/records/store/tokens.js"
import { sight } from "../../../src/policy/gate/Asking.js"
import { compose, type RecordText, read } from "../../../src/policy/record/RecordText.js"
import { times } from "../../deep.js"
import { all } from "./scratch.js"

const RUNS = { numRuns: times(400) }

const word = fc.constantFrom("a", "ab", "abc", "b", "ba", "caf\u00e9", "Cafe", "z9", "\u6771\u4eac", "\u00fc")
const note = fc.record({
  title: fc.array(word, { maxLength: 2 }),
  tags: fc.array(word, { maxLength: 2 }),
  body: fc.array(word, { maxLength: 6 })
})
const id = fc.constantFrom("r0", "r1", "r2", "r3", "r4", "deep/r5")

type Note = typeof note extends fc.Arbitrary<infer A> ? A : never

const textOf = ({ body, tags, title }: Note) => compose({ title: title.join(" "), tags }, body.join(" "))

const recordOf = (given: Note): RecordText => {
  const record = read(textOf(given))
  if (record._tag === "Left") throw new Error(record.left.detail)
  return record.right
}

/** What a search must find, by looking at every record. */
const expected = (notes: ReadonlyMap<string, Note>, query: string): ReadonlyArray<string> => {
  const asked = wordsOf(query)
  const [whole, last = ""] = [asked.slice(0, -1), asked.at(-1)]
  return [...notes]
    .filter(([key, { body, tags, title }]) => {
      const words = [key, ...body, ...tags, ...title].flatMap(wordsOf)
      return whole.every((one) => words.includes(one)) && words.some((one) => one.startsWith(last))
    })
    .map(([key]) => key)
    .sort()
}

const query = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "))

describe("a search", () => {
  it("finds what a look at every record finds, whatever was added, changed and removed", () => {
    const step = fc.tuple(id, fc.option(note, { nil: undefined }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), query, (steps, asked) => {
        const index = new Index()
        const notes = new Map<string, Note>()
        for (const [key, given] of steps) {
          if (given === undefined) {
            index.delete(key)
            notes.delete(key)
          } else {
            index.set(key, recordOf(given))
            notes.set(key, given)
          }
        }
        const found = index.search(wordsOf(asked), () => true, 1000).map((known) => known.id)
        expect([...found].sort()).toEqual(expected(notes, asked))
        expect(
          index
            .list(() => true)
            .map(({ id }) => id)
            .sort()
        ).toEqual([...notes.keys()].sort())
      }),
      RUNS
    )
  })

  it("finds the same after so many changes that it clears up behind itself", () => {
    const index = new Index()
    for (let round = 0; round < 4000; round++) {
      index.set(`r${round % 7}`, recordOf({ title: [], tags: [], body: [`round${round}`, "every"] }))
    }
    index.delete("r3")
    const ids = (words: ReadonlyArray<string>) =>
      index
        .search(words, () => true, 1000)
        .map((known) => known.id)
        .sort()
    expect(ids(["every"])).toEqual(["r0", "r1", "r2", "r4", "r5", "r6"])
    expect(ids(["round3999"])).toEqual([`r${3999 % 7}`])
    expect(ids(["round100"])).toEqual([])
  })

  it.effect("answers as if what may not be seen were not there", () =>
    Effect.gen(function* () {
      const sample = fc.tuple(
        fc.uniqueArray(fc.tuple(id, note), { selector: ([key]) => key, maxLength: 6 }),
        fc.array(id),
        query,
        fc.integer({ min: 1, max: 4 })
      )
      for (const [notes, hidden, asked, limit] of fc.sample(sample, 1000)) {
        const records = notes.map(([key, given]) => ({ id: key, text: textOf(given) }))
        const isVisible = (head: { readonly id: string }) => !hidden.includes(head.id)
        const some = MemoryRecords.make(records.filter(isVisible))
        const whole = MemoryRecords.make(records)
        const found = yield* whole.search({ query: asked, limit }, sight(whole, isVisible))
        expect(found).toEqual(yield* some.search({ query: asked, limit }, all(some)))
      }
    })
  )
})

describe("links", () => {
  it("take no time to speak of, whatever is written", () => {
    const size = 200_000
    for (const piece of [
      "[",
      "[[",
      "](",
      "`",
      "``a`",
      "[[a",
      "](a",
      "](<a",
      "```\n",
      "~~~~\n",
      "](       "
    ]) {
      expect(linksOf("x", `${piece.repeat(size / piece.length)}[[to]]`).length).toBeLessThanOrEqual(1)
    }
  })

  it("are read as Markdown has them", () => {
    const links = (body: string) => linksOf("notes/x", body)
    expect(links("[[a]] ![[b]] [[c#part]] [[d|e]] [[ ]] [[f\ng]]")).toEqual(["a", "b", "c", "d"])
    expect(
      links(
        "[t](y.md) [t](../z.md) [t](/w.md) [t](../../out.md) [t](v.md?x#y) [t](mailto:a.md) [t](//h/a.md)"
      )
    ).toEqual(["notes/y", "z", "w", "notes/v"])
    expect(links("`[[a]]` ``[[b]] ` [[c]]`` [[d]] `[[e]]\n\n[[f]]` \\`")).toEqual(["d", "e", "f"])
    expect(links("```\n[[a]]\n```\n[[b]]\n~~~\n[[c]]\n```\n[[d]]\n~~~~\n[[e]]\n    ```\n[[f]]")).toEqual([
      "b",
      "e",
      "f"
    ])
    expect(links("[t](%ZZ.md) [t](%2e%2e/%2E%2E/etc.md) [t](a%2Fb.md)")).toEqual(["notes/a/b"])
  })
})

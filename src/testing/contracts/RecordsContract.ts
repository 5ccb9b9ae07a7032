/**
 * What everything that keeps records must do. Each case is an Effect that needs a `RecordsBackend` and no test runner:
 * run them against each layer you write.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { code, message, must } from "./contract.js"
import { mustTakeOwnProofsOnly } from "./permits.js"
import { type Case, define } from "./recordsCase.js"
import { finding } from "./recordsFinding.js"

export {
  /**
   * @since 0.1.0
   * @category errors
   */
  ContractBroken
} from "./contract.js"

export type {
  /**
   * @since 0.1.0
   * @category models
   */
  Case
} from "./recordsCase.js"

const keeping: ReadonlyArray<Case> = [
  define("a proof for another backend, or what only looks like one, is not taken", (bench) =>
    Effect.gen(function* () {
      yield* bench.put("kept", "kept")
      const [reading, removing] = [yield* bench.permit("read", "kept"), yield* bench.permit("delete", "kept")]
      yield* mustTakeOwnProofsOnly("read", reading, bench.read)
      yield* mustTakeOwnProofsOnly("links", reading, (permit) => bench.links(permit, bench.own))
      yield* mustTakeOwnProofsOnly("remove", removing, bench.remove)
      const seeingAll = () => true
      for (const looked of <ReadonlyArray<Effect.Effect<unknown, unknown>>>[
        Effect.suspend(() => bench.list({}, seeingAll)),
        Effect.suspend(() => bench.search({ query: "kept" }, seeingAll)),
        Effect.suspend(() => bench.links(reading, seeingAll))
      ]) {
        yield* must("what may be seen is not for anyone to say", (yield* Effect.exit(looked))._tag, "Failure")
      }
      yield* must("text", (yield* bench.read(reading)).text, "kept")
    })
  ),
  define("a record is read as it was written, whatever characters it holds", (bench) =>
    Effect.gen(function* () {
      const texts = [
        "",
        "\ufeff---\r\na: 1 # c\r\n---\r\nb",
        "\u{1f600} \0 \u2028",
        "---\n---\n---\n",
        "x".repeat(1024 * 1024)
      ]
      for (const [index, text] of texts.entries()) {
        const name = `deep/${index}`
        const made = yield* bench.put(name, text)
        const read = yield* bench.read(yield* bench.permit("read", name))
        yield* must("text", read.text, text)
        yield* must("what create answers", made, read)
        yield* must("head", yield* bench.head(bench.id(name)), {
          id: bench.id(name),
          class: "record",
          revision: read.revision
        })
      }
    })
  ),
  define("a record that is there is not created again", (bench) =>
    Effect.gen(function* () {
      yield* bench.put("a", "first")
      yield* must("create", yield* code(bench.put("a", "second")), "RECORD_EXISTS")
      yield* must("text", (yield* bench.read(yield* bench.permit("read", "a"))).text, "first")
    })
  ),
  define("what is not there is not found, by any operation", (bench) =>
    Effect.gen(function* () {
      const [read, update, remove] = [
        yield* bench.permit("read", "none"),
        yield* bench.permit("update", "none"),
        yield* bench.permit("delete", "none")
      ]
      const all = [
        bench.head(bench.id("none")),
        bench.read(read),
        bench.links(read, bench.own),
        bench.backlinks(read, bench.own),
        bench.replace({ before: update, after: update }, { text: "x", revision: "0" }),
        bench.remove(remove)
      ]
      for (const one of all) yield* must("code", yield* code(one), "RECORD_NOT_FOUND")
    })
  ),
  define("what is removed is gone, and may be created anew", (bench) =>
    Effect.gen(function* () {
      yield* bench.put("a", "word")
      for (const text of ["again", "and again"]) {
        yield* bench.remove(yield* bench.permit("delete", "a"))
        yield* must("head", yield* code(bench.head(bench.id("a"))), "RECORD_NOT_FOUND")
        yield* must("list", yield* bench.list({}, bench.own), [])
        yield* bench.put("a", text)
      }
      yield* must("text", (yield* bench.read(yield* bench.permit("read", "a"))).text, "and again")
    })
  ),
  define("a revision is that of a text, and of no other", (bench) =>
    Effect.gen(function* () {
      const first = yield* bench.put("a", "one")
      const same = yield* bench.put("b", "one")
      const update = yield* bench.permit("update", "a")
      const permits = { before: update, after: update }
      const second = yield* bench.replace(permits, { text: "two", revision: first.revision })
      const third = yield* bench.replace(permits, { text: "one", revision: second.revision })
      yield* must("of the same text", same.revision, first.revision)
      yield* must("of another", second.revision === first.revision, false)
      yield* must("of the same text again", third.revision, first.revision)
    })
  )
]

const changing: ReadonlyArray<Case> = [
  define(
    "a text that has changed is not replaced, and the refusal says what changed but not to what",
    (bench) =>
      Effect.gen(function* () {
        const { revision } = yield* bench.put("a", "---\nkept: 1\nstatus: old\ngone: 2\n---\nbody")
        const update = yield* bench.permit("update", "a")
        const permits = { before: update, after: update }
        yield* bench.read(yield* bench.permit("read", "a"))
        const now = "---\nkept: 1\nstatus: confidential\nfresh: classified\n---\nsecretly"
        const next = yield* bench.replace(permits, { text: now, revision })
        const said = yield* message(bench.replace(permits, { text: "mine", revision }))
        yield* must("code", said.startsWith("RECORD_CHANGED: "), true)
        for (const part of [
          "'status' changed",
          "'fresh' added",
          "'gone' removed",
          "the body changed",
          next.revision
        ]) {
          yield* must(`the message holds ${part}`, said.includes(part), true)
        }
        for (const part of ["kept", "confidential", "classified", "secretly"]) {
          yield* must(`the message holds ${part}`, said.includes(part), false)
        }
        yield* must("text", (yield* bench.read(yield* bench.permit("read", "a"))).text, now)
      })
  ),
  define("a revision that nobody knows is refused with the present one", (bench) =>
    Effect.gen(function* () {
      const { revision } = yield* bench.put("a", "text")
      const update = yield* bench.permit("update", "a")
      const said = yield* message(
        bench.replace({ before: update, after: update }, { text: "mine", revision: "0" })
      )
      yield* must("message", said.startsWith("RECORD_CHANGED: ") && said.includes(revision), true)
    })
  ),
  define("no update is lost among many at once", (bench) =>
    Effect.gen(function* () {
      yield* bench.put("n", "0")
      const [read, update] = [yield* bench.permit("read", "n"), yield* bench.permit("update", "n")]
      const increment = Effect.flatMap(bench.read(read), ({ revision, text }) =>
        bench.replace({ before: update, after: update }, { text: String(Number(text) + 1), revision })
      ).pipe(Effect.retry({ while: (error) => error.code === "RECORD_CHANGED" }))
      yield* Effect.replicateEffect(increment, 20, { concurrency: "unbounded", discard: true })
      yield* must("count", (yield* bench.read(read)).text, "20")
    })
  ),
  define("of many who create the same record, one does", (bench) =>
    Effect.gen(function* () {
      const codes = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, index) => String(index)),
        (text) => code(bench.put("a", text)),
        { concurrency: "unbounded" }
      )
      yield* must("successes", codes.filter((one) => one === "success").length, 1)
      yield* must("refusals", codes.filter((one) => one === "RECORD_EXISTS").length, 9)
    })
  )
]

const classes: ReadonlyArray<Case> = [
  define("a record of another class than the permitted is not touched", (bench) =>
    Effect.gen(function* () {
      const text = "---\nclass: note\n---\n"
      const { revision } = yield* bench.put("a", text, "note")
      const wrong = yield* bench.permit("update", "a")
      yield* must("read", yield* code(bench.read(wrong)), "RECORD_CHANGED")
      yield* must("links", yield* code(bench.links(wrong, bench.own)), "RECORD_CHANGED")
      yield* must("remove", yield* code(bench.remove(wrong)), "RECORD_CHANGED")
      const change = { text: "other", revision }
      const replaced = bench.replace({ before: wrong, after: wrong }, change)
      yield* must("replace", yield* code(replaced), "RECORD_CHANGED")
      yield* must("text", (yield* bench.read(yield* bench.permit("read", "a", "note"))).text, text)
    })
  ),
  define("a text of another class than the permitted is not written", (bench) =>
    Effect.gen(function* () {
      yield* must("create", yield* code(bench.put("a", "---\nclass: agent\n---\n", "note")), "RECORD_INVALID")
      yield* must("head", yield* code(bench.head(bench.id("a"))), "RECORD_NOT_FOUND")
      const { revision } = yield* bench.put("a", "plain")
      const update = yield* bench.permit("update", "a")
      const grown = { text: "---\nclass: agent\n---\n", revision }
      const replaced = bench.replace({ before: update, after: update }, grown)
      yield* must("replace", yield* code(replaced), "RECORD_INVALID")
      yield* must("class", (yield* bench.head(bench.id("a"))).class, "record")
    })
  ),
  define("a record changes its class with a permit for each", (bench) =>
    Effect.gen(function* () {
      const { revision } = yield* bench.put("a", "plain")
      const permits = { before: yield* bench.permit("update", "a"), after: yield* bench.agent("create", "a") }
      yield* bench.replace(permits, { text: "---\nclass: agent\n---\n", revision })
      yield* must("class", (yield* bench.head(bench.id("a"))).class, "agent")
      const elsewhere = { ...permits, after: yield* bench.agent("create", "b") }
      const two = bench.replace(elsewhere, { text: "---\nclass: agent\n---\n", revision })
      yield* must("replace of two records", yield* code(two), "RECORD_INVALID")
    })
  ),
  define("an agent's record is written with permits about agents only", (bench) =>
    Effect.gen(function* () {
      const text = "---\nclass: agent\n---\n"
      yield* must("create", yield* code(bench.put("a", text, "agent")), "RECORD_INVALID")
      const { revision } = yield* bench.create(yield* bench.agent("create", "a"), text)
      yield* must("read", (yield* bench.read(yield* bench.permit("read", "a", "agent"))).text, text)
      const records = yield* bench.permit("update", "a", "agent")
      const replaced = bench.replace({ before: records, after: records }, { text, revision })
      yield* must("replace", yield* code(replaced), "RECORD_INVALID")
      yield* must("remove", yield* code(bench.remove(records)), "RECORD_INVALID")
      yield* bench.remove(yield* bench.agent("delete", "a"))
    })
  )
]

const limits: ReadonlyArray<Case> = [
  define("an id that could not be a file everywhere is refused by every operation", (bench) =>
    Effect.gen(function* () {
      const names = [
        ".git",
        ".trash/a",
        "a/.b",
        "a ",
        "a.",
        "a./b",
        "a:b",
        "a.md",
        "A.MD",
        "x".repeat(201),
        "\u00e9".repeat(101)
      ]
      for (const name of names) {
        const [read, update] = [yield* bench.permit("read", name), yield* bench.permit("update", name)]
        const all = [
          bench.head(bench.id(name)),
          bench.read(read),
          bench.put(name, "x"),
          bench.replace({ before: update, after: update }, { text: "x", revision: "0" }),
          bench.remove(update),
          bench.links(read, bench.own)
        ]
        for (const one of all) yield* must(`code for ${name}`, yield* code(one), "RECORD_INVALID")
      }
      for (const id of ["", "/", "a//b", "../a", "a/../../b", "a\\b", "a\nb", "*", "a/./b", "half \ud83d"]) {
        yield* must(`head of ${id}`, yield* code(bench.head(id)), "RECORD_INVALID")
      }
      yield* must("a long id", yield* code(bench.put(`${"x".repeat(200)}/a.mdx/ä b`, "x")), "success")
    })
  ),
  define("a text that is too large, no text, or unreadable is refused", (bench) =>
    Effect.gen(function* () {
      const texts = [
        "\u00e9".repeat(524_289),
        "half \ud83d",
        "---\nopen",
        "---\na: [\n---\n",
        "---\nclass: [x]\n---\n",
        "---\na: 1\na: 2\n---\n"
      ]
      const { revision } = yield* bench.put("kept", "text")
      const update = yield* bench.permit("update", "kept")
      for (const text of texts) {
        yield* must("create", yield* code(bench.put("a", text)), "RECORD_INVALID")
        const replaced = bench.replace({ before: update, after: update }, { text, revision })
        yield* must("replace", yield* code(replaced), "RECORD_INVALID")
      }
      yield* must("head", yield* code(bench.head(bench.id("a"))), "RECORD_NOT_FOUND")
      yield* must("revision", (yield* bench.head(bench.id("kept"))).revision, revision)
    })
  )
]

/**
 * The cases, each for itself: in any order, and against a backend that holds other things too.
 *
 * @since 0.1.0
 * @category cases
 */
export const cases: ReadonlyArray<Case> = [...keeping, ...changing, ...classes, ...limits, ...finding]

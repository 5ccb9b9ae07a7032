/**
 * What everything that holds secrets must do. Each case is an Effect that needs a `SecretsBackend` and no test runner:
 * fill each layer that you write with the secrets of `held`, and run them against it.
 *
 * @since 0.1.0
 */
import { Effect, Fiber, Redacted } from "effect"
import * as Request from "../../policy/lattice/Request.js"
import { must, mustRefuse } from "./contract.js"
import { mustTakeOwnProofsOnly } from "./permits.js"
import { type Case, type Definition, define, type Rig } from "./secretsCase.js"

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
  Case,
  /**
   * @since 0.1.0
   * @category models
   */
  Rig
} from "./secretsCase.js"

/**
 * The secrets that a backend must hold for the cases, by their refs. An empty one is there to be set and to be empty.
 * It may hold others too.
 *
 * @since 0.1.0
 * @category cases
 */
export const held: ReadonlyMap<string, string> = new Map([
  ["CONTRACT_PLAIN", "plain-hunter2"],
  ["CONTRACT_ODD", "  a, b # 'c' \"d\" $HOME $(id) `id` \\ \\n = %41 \u00e9\u{1f600}\ufeff  "],
  ["CONTRACT_LINES", "-----BEGIN KEY-----\nhunter2\r\n\tline\n-----END KEY-----"],
  ["CONTRACT_LONG", "hunter2".repeat(5000)],
  ["CONTRACT_EMPTY", ""],
  ["contract/folder/key", "folder-hunter2"],
  ["contract/folder/eu-west", "west-hunter2"],
  ["contract/deep/er/key", "deeper-hunter2"]
])

const present = [...held].filter(([, value]) => value !== "")

const values = present.map(([, value]) => value)

const giving: ReadonlyArray<Definition> = [
  define(
    "secrets",
    "a proof for another backend, or what only looks like one, is not taken",
    ({ ask, backend }) =>
      Effect.flatMap(
        ask({ secrets: { read: ["CONTRACT_PLAIN"] } }, Request.secret("CONTRACT_PLAIN")),
        (proof) => mustTakeOwnProofsOnly("get", proof, backend.get)
      )
  ),
  define("secrets", "a secret is given as it is, whatever characters it holds", ({ value }) =>
    Effect.gen(function* () {
      for (const [ref, wanted] of present) yield* must(ref, yield* value(ref), wanted)
      // And again: to be read does not use it up.
      for (const [ref, wanted] of present) yield* must(ref, yield* value(ref), wanted)
    })
  ),
  define("secrets", "a secret that a folder covers is given as one that is named", ({ below }) =>
    Effect.gen(function* () {
      for (const [ref, wanted] of present.filter(([ref]) => ref.startsWith("contract/"))) {
        yield* must(ref, yield* below("contract", ref), wanted)
      }
    })
  ),
  define("secrets", "a secret is given to be sent sealed, as it is to be read", ({ ask, backend }) =>
    Effect.gen(function* () {
      for (const [ref, wanted] of present) {
        const seal = { ref, to: "api.example.com", in: "header:authorization" }
        const request = Request.seal(ref, "api.example.com", 443, "header:authorization")
        const given = yield* Effect.flatMap(ask({ secrets: { seal: [seal] } }, request), backend.get)
        yield* must(ref, Redacted.value(given), wanted)
      }
    })
  ),
  define("secrets", "a value does not print", ({ get }) =>
    Effect.gen(function* () {
      for (const [ref, value] of present) {
        const given = yield* get(ref)
        const printed = `${given} ${JSON.stringify({ given })}`
        yield* must(`${ref} is redacted`, Redacted.isRedacted(given), true)
        yield* must(`${ref} prints`, printed.includes(value), false)
      }
    })
  ),
  define("secrets", "many who ask at once get each their own", ({ value }) =>
    Effect.forEach(
      [...present, ...present, ...present, ...present],
      ([ref, wanted]) => Effect.flatMap(value(ref), (given) => must(ref, given, wanted)),
      { concurrency: "unbounded", discard: true }
    )
  ),
  define("secrets", "who stops waiting for a secret leaves it to the next", ({ get, value }) =>
    Effect.gen(function* () {
      for (const [ref, wanted] of present) {
        const fiber = yield* Effect.fork(get(ref))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(fiber)
        yield* must(ref, yield* value(ref), wanted)
      }
    })
  )
]

const refusing: ReadonlyArray<Definition> = [
  define("secrets", "what is not there is not found, and no other secret is told", ({ below, value }) =>
    Effect.gen(function* () {
      const refs = [
        "CONTRACT_MISSING",
        "toString",
        "__proto__",
        "constructor",
        "contract/none",
        "none/at/all"
      ]
      for (const ref of refs) yield* mustRefuse(ref, value(ref), "SECRET_NOT_FOUND", values)
      const covered = below("contract", "contract/folder/none")
      yield* mustRefuse("below a folder", covered, "SECRET_NOT_FOUND", values)
    })
  ),
  define(
    "secrets",
    "a ref is that of one secret: neither above it, nor below, nor a part of its name",
    (bench) =>
      Effect.gen(function* () {
        const refs = [
          "contract",
          "contract/folder",
          "contract/folder/key/below",
          "contract/folder/ke",
          "folder/key",
          "key",
          "CONTRACT",
          "CONTRACT_PLAI",
          "CONTRACT_PLAIN/below"
        ]
        // Where a folder is something of its own, to ask for it is a mistake of another kind.
        const codes = ["SECRET_NOT_FOUND", "SECRETS_FAILED", "SECRET_REF_INVALID"]
        for (const ref of refs) yield* mustRefuse(ref, bench.get(ref), codes, values)
      })
  ),
  define("secrets", "a proof of something else gives no secret", ({ ask, backend }) =>
    Effect.gen(function* () {
      const codes = ["SECRET_NOT_DECLARED", "SECRET_NOT_FOUND", "SECRETS_FAILED", "SECRET_REF_INVALID"]
      const file = yield* ask({ files: { read: ["/"] } }, Request.file("read", "/CONTRACT_PLAIN"))
      const storage = yield* ask({ storage: { use: ["session"] } }, Request.storage("session"))
      for (const proof of [file, storage]) {
        yield* mustRefuse(proof.request.capability, backend.get(proof), codes, values)
      }
    })
  ),
  define("stores", "an empty value is none: that is how a secret is taken back", ({ value }) =>
    mustRefuse("CONTRACT_EMPTY", value("CONTRACT_EMPTY"), "SECRET_NOT_FOUND", values)
  ),
  define(
    "stores",
    "a ref that is not declared letter by letter may be a value, and is not repeated",
    ({ below }) =>
      Effect.gen(function* () {
        const mistaken = below("contract", "contract/sk-live-4242")
        yield* mustRefuse("a value in place of a name", mistaken, "SECRET_NOT_FOUND", ["sk-live-4242"])
      })
  )
]

const changing: ReadonlyArray<Definition> = [
  define("changes", "a secret is what it is now", ({ change, value }) =>
    Effect.gen(function* () {
      for (const [ref, wanted] of present.filter(([ref]) => ref.endsWith("PLAIN") || ref.endsWith("key"))) {
        yield* change(ref, "changed")
        yield* must(`${ref}, changed`, yield* value(ref), "changed")
        yield* change(ref, undefined)
        yield* mustRefuse(`${ref}, taken away`, value(ref), "SECRET_NOT_FOUND", values)
        yield* change(ref, wanted)
        yield* must(`${ref}, set again`, yield* value(ref), wanted)
      }
    })
  )
]

/**
 * The cases that can be run with what the rig has, each for itself and in any order. Those about changes put back what
 * they change, and are run alone.
 *
 * @since 0.1.0
 * @category cases
 */
export const cases = (rig: Rig = {}): ReadonlyArray<Case> =>
  [...giving, ...refusing, ...changing]
    .map((definition) => definition(rig))
    .filter(({ about }) => about !== "changes" || rig.change !== undefined)

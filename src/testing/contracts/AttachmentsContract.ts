/**
 * What everything that opens the files of a turn must do. Each case is an Effect that needs an `AttachmentsBackend` and
 * no test runner: run them against each layer you write.
 *
 * @since 0.1.0
 */
import { Effect, Fiber } from "effect"
import type { Attachment } from "../../capabilities/attachments/AttachmentsOperations.js"
import * as Request from "../../policy/lattice/Request.js"
import { type Bench, type Case, type Definition, define, type Rig } from "./attachmentsCase.js"
import { bytesFrom, contents, must, mustBytes, mustRefuse, utf8 } from "./contract.js"
import { mustTakeOwnProofsOnly, permitsFor } from "./permits.js"

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
} from "./attachmentsCase.js"

export {
  /**
   * @since 0.1.0
   * @category errors
   */
  ContractBroken
} from "./contract.js"

const SECRET = "hunter2"

const sent: ReadonlyArray<Definition> = [
  define(
    "attachments",
    "a proof for another backend, or what only looks like one, is not taken",
    ({ backend, proof, put }) =>
      Effect.gen(function* () {
        const attachment = yield* put(utf8("kept"))
        const permit = yield* proof(attachment.type)
        yield* mustTakeOwnProofsOnly("read", permit, (given) => backend.read(given, attachment))
        yield* mustTakeOwnProofsOnly("open", permit, (given) => backend.open(given, attachment))
      })
  ),
  define("attachments", "bytes are read as they were sent, whatever they are", ({ put, read }) =>
    Effect.gen(function* () {
      for (const content of contents) {
        const attachment = yield* put(content)
        yield* mustBytes("read", yield* read(attachment), content)
        yield* mustBytes("read again", yield* read(attachment), content)
      }
    })
  ),
  define("attachments", "what is opened is where it lies, which is a path from the root", (bench) =>
    Effect.gen(function* () {
      const paths = new Set<string>()
      for (const content of ["one", "one", "two"]) {
        const attachment = yield* bench.put(utf8(content))
        const path = yield* bench.open(attachment)
        yield* must("locate", yield* bench.backend.locate(bench.session, attachment), path)
        yield* must("from the root", path.startsWith("/"), true)
        paths.add(path)
      }
      yield* must("each lies elsewhere", paths.size, 3)
    })
  ),
  define("attachments", "bytes that are handed over are nobody else's", ({ put, read }) =>
    Effect.gen(function* () {
      const attachment = yield* put(bytesFrom(1, 100))
      const first = yield* read(attachment)
      first.fill(9)
      yield* mustBytes("after a reader changed its array", yield* read(attachment), bytesFrom(1, 100))
    })
  ),
  define("attachments", "many that are read at once do not mix", ({ put, read }) =>
    Effect.gen(function* () {
      const all = Array.from({ length: 20 }, (_, index) => bytesFrom(index, 30_000 + index))
      const attachments = yield* Effect.forEach(all, put)
      yield* Effect.forEach(
        attachments,
        (attachment, index) =>
          Effect.flatMap(read(attachment), (bytes) =>
            mustBytes(`content ${index}`, bytes, all[index] ?? new Uint8Array(0))
          ),
        { concurrency: "unbounded", discard: true }
      )
    })
  ),
  define("attachments", "a read that is interrupted ends, and the next one works", ({ open, put, read }) =>
    Effect.gen(function* () {
      const content = bytesFrom(0, 2_000_000)
      const attachment = yield* put(content)
      for (let round = 0; round < 6; round++) {
        const fiber = yield* Effect.fork(read(attachment))
        yield* Effect.replicateEffect(open(attachment), round, { discard: true })
        yield* Fiber.interrupt(fiber)
      }
      yield* mustBytes("read", yield* read(attachment), content)
    })
  )
]

/** No operation gives it, for one of these reasons, and no message says what it holds or where it lies. */
const mustNotGive = (
  { backend, open, read, session }: Bench,
  attachment: Attachment,
  codes: ReadonlyArray<string>,
  secrets: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    yield* mustRefuse("read", read(attachment), codes, secrets)
    yield* mustRefuse("open", open(attachment), codes, secrets)
    // Where something would lie may be told of what is not there.
    const located = yield* Effect.either(backend.locate(session, attachment))
    if (located._tag === "Left") yield* mustRefuse("locate", located, codes, secrets)
  })

const MISSING = ["ATTACHMENT_NOT_FOUND", "ATTACHMENTS_FAILED"]

const refused: ReadonlyArray<Definition> = [
  define("attachments", "a proof of another kind, or of something else, opens nothing", (bench) =>
    Effect.gen(function* () {
      const { backend } = bench
      const attachment = yield* bench.put(utf8(SECRET))
      const path = yield* bench.open(attachment)
      const session = { storage: { use: ["session"] } }
      const other = yield* permitsFor(backend).ask(session, Request.storage("session"))
      for (const proof of [
        ...(yield* Effect.forEach(bench.others(attachment), (kind) => bench.proof(kind))),
        other
      ]) {
        const { line } = proof.request
        yield* mustRefuse(`read by ${line}`, backend.read(proof, attachment), "ATTACHMENT_MISMATCH", [
          SECRET,
          path
        ])
        yield* mustRefuse(`open by ${line}`, backend.open(proof, attachment), "ATTACHMENT_MISMATCH", [
          SECRET,
          path
        ])
      }
    })
  ),
  define("attachments", "an attachment that nobody sent is not there", (bench) =>
    Effect.gen(function* () {
      const real = yield* bench.put(utf8(SECRET))
      const path = yield* bench.open(real)
      const urls = [
        `file://${path}-none`,
        `file://${path}/below`,
        "file:///no/such/place/contract",
        "http://127.0.0.1:1/contract",
        "data:text/plain,contract",
        path,
        ""
      ]
      for (const url of urls) {
        const made = { ...real, ref: "att-made-up", url }
        yield* mustNotGive(bench, made, MISSING, [SECRET, "no/such/place", path])
      }
    })
  ),
  define("sessions", "what was sent in another session is not there", (bench) =>
    Effect.gen(function* () {
      const attachment = yield* bench.put(utf8(SECRET))
      const path = yield* bench.open(attachment)
      for (const session of [`${bench.session}-other`, "", bench.session.slice(0, -1)]) {
        const secrets = [SECRET, path]
        yield* mustRefuse("read", bench.read(attachment, session), MISSING, secrets)
        yield* mustRefuse("open", bench.open(attachment, session), MISSING, secrets)
        yield* mustRefuse("locate", bench.backend.locate(session, attachment), MISSING, secrets)
      }
      yield* mustBytes("in its own", yield* bench.read(attachment), utf8(SECRET))
    })
  ),
  define("removal", "what is gone is not found, and what is beside it stays", (bench) =>
    Effect.gen(function* () {
      const [gone, stays] = [yield* bench.put(utf8(SECRET)), yield* bench.put(utf8("stays"))]
      const path = yield* bench.open(gone)
      yield* bench.rig.remove(gone)
      yield* mustNotGive(bench, gone, ["ATTACHMENT_NOT_FOUND"], [SECRET, path])
      yield* mustBytes("the other", yield* bench.read(stays), utf8("stays"))
    })
  ),
  define("links", "a link in the place of a file is not followed", (bench) =>
    Effect.gen(function* () {
      const attachment = yield* bench.put(utf8(SECRET))
      const path = yield* bench.open(attachment)
      yield* bench.rig.link(attachment)
      yield* mustNotGive(bench, attachment, ["ATTACHMENTS_FAILED"], [SECRET, path])
    })
  ),
  define("limits", "what is larger than the limit is refused, and what just fits is not", (bench) =>
    Effect.gen(function* () {
      const { maxBytes } = bench.rig.limits
      const [fits, large] = [
        yield* bench.put(new Uint8Array(maxBytes)),
        yield* bench.put(new Uint8Array(maxBytes + 1))
      ]
      yield* must("what just fits", (yield* bench.read(fits)).length, maxBytes)
      yield* mustNotGive(bench, large, ["ATTACHMENTS_FAILED"], [])
    })
  )
]

/**
 * The cases that can be run with what the rig has, each for itself: in any order, at the same time, and against a
 * backend that holds other things too.
 *
 * @since 0.1.0
 * @category cases
 */
export const cases = (rig: Rig): ReadonlyArray<Case> => {
  const missing = new Set<Case["about"]>()
  if (rig.remove === undefined) missing.add("removal")
  if (rig.link === undefined) missing.add("links")
  if (rig.limits === undefined) missing.add("limits")
  return [...sent, ...refused].map((definition) => definition(rig)).filter(({ about }) => !missing.has(about))
}

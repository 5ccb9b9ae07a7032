/** A process of its own that writes records, as its arguments say, and prints what was acknowledged. */
import { Effect } from "effect"
import * as NodeRecords from "../../../src/layers/node/records/NodeRecords.js"
import { permit } from "./scratch.js"

const [mode = "", directory = "", name = "", times = "0"] = process.argv.slice(2)

const records = NodeRecords.make({ directory })

const print = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))

const increment = Effect.gen(function* () {
  const given = yield* permit(records, "shared/counter")
  const { revision, text } = yield* records.read(given)
  const next = String(Number(text) + 1)
  yield* records.replace({ before: given, after: given }, { text: next, revision })
}).pipe(Effect.retry({ while: (error) => error.code === "RECORD_CHANGED" }))

const textOf = (id: string, round: number) => `---\ntitle: ${id} ${round}\n---\n${"x".repeat(5000)}\nend`

/** Creates a record, changes it, and removes every third. */
const life = (index: number) =>
  Effect.gen(function* () {
    const id = `${name}/${index}`
    const given = yield* permit(records, id)
    const { revision } = yield* records.create(given, textOf(id, 0))
    yield* print(`created ${id}`)
    yield* records.replace({ before: given, after: given }, { text: textOf(id, 1), revision })
    yield* print(`changed ${id}`)
    if (index % 3 !== 0) return
    yield* records.remove(given)
    yield* print(`removed ${id}`)
  })

const storm = Effect.iterate(0, {
  while: () => true,
  body: (start) =>
    Effect.as(
      Effect.forEach([0, 1, 2, 3], (offset) => life(start + offset), {
        concurrency: "unbounded",
        discard: true
      }),
      start + 4
    )
})

await Effect.runPromise(
  mode === "count" ? Effect.replicateEffect(increment, Number(times), { discard: true }) : storm
)

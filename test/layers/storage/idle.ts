/** A process of its own that has a store and then uses it, and says each time whether SQLite is loaded. */
import { Console, Effect } from "effect"
import * as NodeStorage from "../../../src/layers/node/storage/NodeStorage.js"
import { inSession } from "./session.js"

const [directory = ""] = process.argv.slice(2)

interface Report {
  readonly sharedObjects: ReadonlyArray<string>
}

/** The native part of the package; that of Node is in Node itself. */
const isLoaded = Effect.sync(() => {
  // It has this shape in every version of Node; its type is an object.
  const { sharedObjects } = process.report.getReport() as unknown as Report
  return sharedObjects.some((file) => file.includes("libsql"))
})

await Effect.gen(function* () {
  const store = inSession(yield* NodeStorage.make({ directory }))
  yield* Console.log(`before: ${yield* isLoaded}`)
  const outcome = yield* Effect.either(store.set({ key: "k", value: "v" }))
  yield* Console.log(outcome._tag === "Right" ? `after: ${yield* isLoaded}` : outcome.left.message)
}).pipe(Effect.scoped, Effect.runPromise)

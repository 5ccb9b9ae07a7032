/** A process of its own that does a job on a store, as its arguments say, and prints a line for whatever was acknowledged. */
import { writeSync } from "node:fs"
import { Effect, Schema } from "effect"
import * as NodeStorage from "../../../src/layers/node/storage/NodeStorage.js"
import * as StorageContract from "../../../src/testing/contracts/StorageContract.js"

const [directory = "", job = "", user] = process.argv.slice(2)

// Once the program is loaded: somebody else may not read it.
if (user !== undefined) process.setuid?.(Number(user))

// A limit on the size of files is told by a signal, which would end the process.
process.on("SIGXFSZ", () => {})

/** Written before the next step: what was said was acknowledged, also if the process is killed now. */
const say = (line: string) => Effect.sync(() => void writeSync(1, `${line}\n`))

await Schema.decode(Schema.parseJson(StorageContract.Job))(job).pipe(
  Effect.flatMap((decoded) => StorageContract.perform(decoded, say)),
  Effect.provide(NodeStorage.layer({ directory })),
  Effect.runPromise
)

/** A process of its own that writes to a store, as its arguments say, and prints what was acknowledged. */
import { Effect, Option, Schema } from "effect"
import * as ScopedStorage from "../../../src/capabilities/storage/ScopedStorage.js"
import { Storage } from "../../../src/capabilities/storage/Storage.js"
import { StorageBackend } from "../../../src/capabilities/storage/StorageBackend.js"
import * as NodeStorage from "../../../src/layers/node/storage/NodeStorage.js"
import { holder } from "../../../src/policy/gate/Proof.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"

const [mode = "", directory = "", name = "", times = "0"] = process.argv.slice(2)

const authority = Schema.decodeSync(Authority.FromJson)({ storage: { use: ["session"] } })

const storage = Effect.map(StorageBackend, (backend) =>
  Storage.make(ScopedStorage.scoped(holder({ authority }), { scope: "session" }, "session:shared", backend))
)

const print = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))

const increment = Storage.update("counter", (current) =>
  Option.some(String(Number(Option.getOrElse(current, () => "0")) + 1))
)

const write = (index: number) =>
  Effect.zipRight(
    Storage.set(`${name}/${index}`, `${name} ${index} ${"x".repeat(index % 5000)}`),
    print(`${name}/${index}`)
  )

const modes = {
  /** Counts up together with others. */
  count: Effect.replicateEffect(increment, Number(times), { concurrency: 4, discard: true }),
  /** Writes until it is killed. */
  storm: Effect.iterate(0, {
    while: () => true,
    body: (start) =>
      Effect.as(
        Effect.forEach(
          Array.from({ length: 16 }, (_, offset) => start + offset),
          write,
          { concurrency: "unbounded", discard: true }
        ),
        start + 16
      )
  }),
  /** Writes until it may not, and says why. */
  fill: Effect.iterate(0, {
    while: () => true,
    body: (index) => Effect.as(Storage.set(`${name}/${index}`, "x".repeat(100_000)), index + 1)
  }).pipe(
    Effect.catchAll((error) => print(error.message)),
    Effect.zipRight(Effect.exit(Storage.get(`${name}/0`))),
    Effect.flatMap((exit) =>
      print(exit._tag === "Success" && Option.isSome(exit.value) ? "readable" : "lost")
    )
  )
}

const program = mode === "count" ? modes.count : mode === "storm" ? modes.storm : modes.fill

// A limit on the size of files is told by a signal, which would end the process.
process.on("SIGXFSZ", () => {})

await Effect.runPromise(
  Effect.provideServiceEffect(program, Storage, storage).pipe(
    Effect.provide(NodeStorage.layer({ directory }))
  )
)

/** Tools whose calls can be counted afterwards, whatever became of the process: each writes a line to a file. */
import { appendFileSync, existsSync } from "node:fs"
import { Personality, Registry, Storage, Tool } from "bailiwick"
import { Effect, Schedule, Schema } from "effect"

/** The same on every machine. */
export const policy = Personality.policy(
  Personality.parseSync(
    { config: { file: "config.yaml", text: "id: worker\nstorage: { scopes: [session] }\n" } },
    { workdir: "/" }
  )
)

/** What was changed on one machine and not on the others. */
export const otherPolicy = Personality.policy(
  Personality.parseSync(
    { config: { file: "config.yaml", text: "id: worker\nstorage: { scopes: [] }\n" } },
    { workdir: "/" }
  )
)

const parameters = Schema.Struct({
  key: Schema.String,
  /** Until this file is there, the call runs. */
  until: Schema.optional(Schema.String),
  ms: Schema.optional(Schema.Number)
})

/** What a runner does at a time of what waits for something else. */
const SLOTS = 4

export const toolsWriting = (journal: string) => {
  const slots = Effect.unsafeMakeSemaphore(SLOTS)
  const line = (what: string, key: string) =>
    Effect.sync(() => appendFileSync(journal, `${what} ${key} ${process.pid}\n`))

  const work = ({ key, ms, until }: typeof parameters.Type) =>
    Effect.gen(function* () {
      yield* line("start", key)
      if (until !== undefined) {
        yield* Effect.repeat(
          Effect.sync(() => existsSync(until)),
          { until: (there) => there, schedule: Schedule.spaced("10 millis") }
        )
      }
      if (ms !== undefined) yield* Effect.sleep(ms)
      yield* line("end", key)
      return process.pid
    }).pipe(Effect.onInterrupt(() => line("interrupted", key)))

  const shared = { parameters, capabilities: {}, execute: work }
  return Registry.make(
    Tool.make({ name: "work", description: "Works once", ...shared }),
    Tool.make({ name: "look", description: "Looks", readOnly: true, ...shared }),
    Tool.make({ name: "put", description: "Puts", idempotent: true, ...shared }),
    Tool.make({
      name: "keep",
      description: "Works, and keeps something",
      parameters,
      capabilities: { storage: { scope: "session", kind: "kv" } },
      execute: (args) => Effect.zipRight(work(args), Storage.set(args.key, String(process.pid)))
    }),
    Tool.make({
      name: "echo",
      description: "Says it again",
      parameters,
      capabilities: {},
      readOnly: true,
      execute: ({ key }) => Effect.succeed(key)
    }),
    Tool.make({
      name: "once",
      description: "Says it again, once",
      parameters,
      capabilities: {},
      execute: ({ key }) => Effect.succeed(key)
    }),
    Tool.make({
      name: "wait",
      description: "Waits for something, a few at a time, and says where",
      parameters,
      capabilities: {},
      execute: ({ ms = 50 }) => slots.withPermits(1)(Effect.as(Effect.sleep(ms), process.pid))
    }),
    Tool.make({
      name: "report",
      description: "Says how far it is",
      parameters,
      capabilities: {},
      execute: ({ key }) => Effect.as(Tool.progress(key, { done: 1, total: 2 }), key)
    })
  )
}

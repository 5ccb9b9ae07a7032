/** Tools as an author writes them: nothing in them knows where they run. */
import { Ask, Files, Network, Process, Secrets, Storage, Tool } from "bailiwick"
import { Effect, Option, Redacted, Schema, Stream } from "effect"

const Nothing = Schema.Struct({})

export const noop = Tool.make({
  name: "noop",
  description: "Gives back a number",
  parameters: Schema.Struct({ n: Schema.Number }),
  capabilities: {},
  execute: ({ n }) => Effect.succeed(n)
})

export const title = Tool.make({
  name: "title",
  description: "How long a page is",
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.Struct({ length: Schema.Number }),
  capabilities: { network: { allowedHosts: ["api.test"] } },
  asks: ({ path }) => [{ _tag: "Http", method: "GET", url: `https://api.test/${path}` }],
  execute: ({ path }) => Effect.map(Network.get(`https://api.test/${path}`), ({ length }) => ({ length }))
})

export const refused = Tool.make({
  name: "refused",
  description: "Asks for what it has not declared",
  parameters: Nothing,
  capabilities: { network: { allowedHosts: ["api.test"] } },
  execute: () => Network.get("https://evil.test/x" as string)
})

export const caught = Tool.make({
  name: "caught",
  description: "Catches a refusal by its tag",
  parameters: Nothing,
  capabilities: { network: { allowedHosts: ["api.test"] } },
  execute: () =>
    Network.get("https://evil.test/x" as string).pipe(
      Effect.catchTag("NetworkError", (error) =>
        Effect.succeed({
          code: error.code,
          remedy: error.denial?.remedy,
          isError: error instanceof Error,
          message: error.message
        })
      )
    )
})

const refusedWith = <A, I>(name: string, failure: Schema.Schema<A, I>) =>
  Tool.make({
    name,
    description: "Asks for what it has not declared, and may fail with anything",
    parameters: Nothing,
    failure,
    capabilities: { network: { allowedHosts: ["api.test"] } },
    execute: () => Network.get("https://evil.test/x" as string)
  })

export const broad = [
  refusedWith("any", Schema.Any),
  refusedWith("unknown", Schema.Unknown),
  refusedWith("object", Schema.Object),
  refusedWith("record", Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  refusedWith("like", Schema.Struct({ _tag: Schema.String, detail: Schema.String }))
]

/** It cannot be written down. */
const circle = (): object => {
  const made: { self?: object } = {}
  made.self = made
  return made
}

export const wrapped = Tool.make({
  name: "wrapped",
  description: "Fails with a refusal in something of its own",
  parameters: Nothing,
  failure: Schema.Unknown,
  capabilities: { network: { allowedHosts: ["api.test"] } },
  execute: () =>
    Effect.mapError(Network.get("https://evil.test/x" as string), ({ denial }) =>
      Object.assign(new Error("wrapped"), { denial, around: circle() })
    )
})

export const secret = Tool.make({
  name: "secret",
  description: "Reads a secret",
  parameters: Nothing,
  capabilities: { secrets: ["KEY"] },
  execute: () =>
    Effect.map(Secrets.get("KEY"), (key) => ({
      printed: String(key),
      length: Redacted.value(key).length,
      value: Redacted.value(key)
    }))
})

export const streamed = Tool.make({
  name: "streamed",
  description: "Takes the first pieces of a stream",
  parameters: Schema.Struct({ pieces: Schema.Number }),
  capabilities: { network: { allowedHosts: ["api.test"] } },
  execute: ({ pieces }) =>
    Network.stream("https://api.test/flow").pipe(
      Stream.take(pieces),
      Stream.runFold(0, (sum, piece) => sum + piece.length)
    )
})

export const hurried = Tool.make({
  name: "hurried",
  description: "Says how far it is, and never ends",
  parameters: Nothing,
  capabilities: { network: { allowedHosts: ["api.test"] } },
  deadline: "300 millis",
  execute: () =>
    Effect.zipRight(Tool.progress("half", { done: 1, total: 2 }), Network.get("https://api.test/never"))
})

class Odd extends Schema.TaggedError<Odd>()("Odd", { why: Schema.String }) {
  override get message(): string {
    return `odd: ${this.why}`
  }
}

/** Whatever looks at it breaks. */
const brittle = (): never => {
  throw new Error("it was looked at")
}

export const failing = Tool.make({
  name: "failing",
  description: "Fails with an error of its own",
  parameters: Schema.Struct({
    how: Schema.Literal("typed", "defect", "detailed", "words", "unwritable", "brittle")
  }),
  failure: Schema.Union(Odd, Schema.String, Schema.BigIntFromSelf),
  capabilities: {},
  execute: ({ how }) => {
    if (how === "typed") return new Odd({ why: "because" })
    if (how === "unwritable") return Effect.fail(10n)
    if (how === "detailed") return Effect.die(new TypeError("3 moons at /x"))
    if (how === "brittle") return Effect.die({ toJSON: () => brittle(), toString: () => brittle() })
    return how === "words" ? Effect.fail("in words") : Effect.die(new Error("the moon is full"))
  }
})

export const kv = Tool.make({
  name: "kv",
  description: "Counts in a store",
  parameters: Nothing,
  capabilities: { storage: { scope: "session", kind: "kv" } },
  execute: () =>
    Effect.gen(function* () {
      const before = Number(Option.getOrElse(yield* Storage.get("n"), () => "0"))
      yield* Storage.set("n", String(before + 1))
      return before + 1
    })
})

export const fed = Tool.make({
  name: "fed",
  description: "Feeds a command",
  parameters: Schema.Struct({ lines: Schema.Number }),
  capabilities: { process: { allowedBinaries: ["cat"] } },
  execute: ({ lines }) => {
    const stdin = Stream.range(1, lines).pipe(
      Stream.map((line) => `${line}\n`),
      Stream.encodeText
    )
    return Effect.map(Process.spawn("cat", [], { stdin }), ({ stdout }) => stdout.trim().split("\n").length)
  }
})

export const logging = Tool.make({
  name: "logging",
  description: "Logs a secret",
  parameters: Nothing,
  capabilities: { secrets: ["KEY"] },
  execute: () =>
    Effect.flatMap(Secrets.get("KEY"), (key) =>
      Effect.annotateLogs(Effect.logInfo("the key is", Redacted.value(key), { n: 1 }), { step: "first" })
    )
})

export const list = [
  Tool.make({
    name: "copy",
    description: "Copies a file",
    parameters: Schema.Struct({ from: Schema.String, to: Schema.String }),
    capabilities: { fs_reach: { read: "from-personality", write: "from-personality" } },
    execute: ({ from, to }) => Effect.flatMap(Files.readBytes(from), (bytes) => Files.write(to, bytes))
  }),
  noop
]

/** Whatever it says of what it will ask for is no ask, or there are too many. */
export const vague = Tool.make({
  name: "vague",
  description: "Says what it will ask for in its own way",
  parameters: Schema.Struct({ asks: Schema.Number }),
  capabilities: {},
  asks: ({ asks }) => (asks === 0 ? [{ _tag: "Whatever" } as never] : Array(asks).fill(Ask.shell())),
  execute: () => Effect.void
})

export const helper = 3

export const sealed = Tool.make({
  name: "sealed",
  description: "Sends a secret that it does not see",
  parameters: Schema.Struct({ to: Schema.String }),
  capabilities: {
    network: { allowedHosts: ["api.test", "other.test"] },
    secrets: [{ ref: "SEALED", hosts: ["api.test"], in: ["header:authorization"] }]
  },
  asks: ({ to }) => [Ask.request("GET", `https://${to}/echo`), Ask.sealed("SEALED", `https://${to}/echo`)],
  execute: ({ to }) =>
    Effect.gen(function* () {
      const token = yield* Secrets.sealed("SEALED")
      return yield* Network.get(`https://${to}/echo` as string, {
        headers: { authorization: `Bearer ${token}` }
      })
    })
})

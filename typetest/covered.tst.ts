// What a declaration covers compiles, and gives the tool its types.
import { Effect, pipe, type Redacted, Schedule, Schema, Stream } from "effect"
import { describe, expect, test } from "tstyche"
import { Agents } from "../src/capabilities/agents/Agents.js"
import { Attachments } from "../src/capabilities/attachments/Attachments.js"
import type { ServicesOf } from "../src/capabilities/Capabilities.js"
import { Files } from "../src/capabilities/files/Files.js"
import { Network } from "../src/capabilities/network/Network.js"
import type { NetworkError } from "../src/capabilities/network/NetworkOperations.js"
import { Process } from "../src/capabilities/process/Process.js"
import type { ProcessError } from "../src/capabilities/process/ProcessOperations.js"
import { Records } from "../src/capabilities/records/Records.js"
import { Secrets } from "../src/capabilities/secrets/Secrets.js"
import type { SecretsError } from "../src/capabilities/secrets/SecretsOperations.js"
import { Storage } from "../src/capabilities/storage/Storage.js"
import * as Tool from "../src/tools/Tool.js"

const base = { name: "t", description: "d", parameters: Schema.Struct({ x: Schema.String }) } as const
const Forecast = Schema.Struct({ temp: Schema.Number, unit: Schema.Literal("C", "F") })

const weather = Tool.make({
  name: "get_weather",
  description: "Current weather",
  parameters: Schema.Struct({ lat: Schema.Number, lon: Schema.Number }),
  success: Forecast,
  capabilities: {
    network: { allowedHosts: ["api.weather.gov", "*.github.com"] },
    secrets: ["WEATHER_API_KEY"]
  },
  execute: ({ lat, lon }) =>
    Effect.gen(function* () {
      const key = yield* Secrets.get("WEATHER_API_KEY")
      expect(key).type.toBe<Redacted.Redacted<string>>()
      yield* Network.get("https://raw.github.com/x")
      const now = yield* Network.json(`https://api.weather.gov/points/${lat},${lon}`, Forecast)
      expect(now).type.toBe<{ readonly temp: number; readonly unit: "C" | "F" }>()
      return { temp: now.temp, unit: "C" }
    })
})

test("a tool knows its name, arguments, success, failure and services", () => {
  expect<Tool.Name<typeof weather>>().type.toBe<"get_weather">()
  expect<Tool.Args<typeof weather>>().type.toBe<{ readonly lat: number; readonly lon: number }>()
  expect<Tool.Success<typeof weather>>().type.toBe<{ readonly temp: number; readonly unit: "C" | "F" }>()
  expect<Tool.Failure<typeof weather>>().type.toBe<NetworkError | SecretsError>()
  expect<Tool.Services<typeof weather>>().type.toBe<
    | Network
    | Network.Host<"api.weather.gov">
    | Network.Host<`${string}.github.com`>
    | Secrets
    | Secrets.Ref<"WEATHER_API_KEY">
  >()
})

test("tools of every type fit in one list", () => {
  const pure = Tool.make({ ...base, capabilities: {}, execute: () => Effect.succeed(1 as const) })
  expect<Tool.Success<typeof pure>>().type.toBe<1>()
  expect<Tool.Services<typeof pure>>().type.toBe<never>()
  expect([weather, pure]).type.toBeAssignableTo<ReadonlyArray<Tool.Any>>()
})

describe("styles", () => {
  test("Effect.fn infers its arguments", () => {
    const tool = Tool.make({
      ...base,
      capabilities: { secrets: ["K"] },
      execute: Effect.fn("t")(function* (args) {
        expect(args).type.toBe<{ readonly x: string }>()
        yield* Secrets.get("K")
        return args.x.length
      })
    })
    expect<Tool.Success<typeof tool>>().type.toBe<number>()
  })

  test("pipe and combinators", () => {
    Tool.make({
      ...base,
      capabilities: { network: { allowedHosts: ["a.com", "b.com"] }, secrets: ["K"] },
      execute: () =>
        pipe(
          Effect.all(
            { a: Network.get("https://a.com"), b: Network.get("https://b.com/") },
            { concurrency: 2 }
          ),
          Effect.zipRight(Secrets.get("K")),
          Effect.retry(Schedule.recurs(2)),
          Effect.timeout("1 second"),
          Effect.catchTag("TimeoutException", () => Effect.succeed("late")),
          Effect.withSpan("t")
        )
    })
  })

  test("the service itself", () => {
    Tool.make({
      ...base,
      capabilities: { network: { allowedHosts: ["a.com"] } },
      execute: ({ x }) =>
        Effect.gen(function* () {
          const network = yield* Network
          return (yield* network.get("https://a.com/x")) + (yield* network.get(x))
        })
    })
  })

  test("branches with different requirements and failures", () => {
    const tool = Tool.make({
      ...base,
      capabilities: { network: { allowedHosts: ["a.com"] }, process: { allowedBinaries: ["git"] } },
      execute: ({ x }) => {
        if (x === "1") return Network.get("https://a.com")
        if (x === "2") return Process.spawn("git", [])
        return Effect.succeed(1)
      }
    })
    expect<Tool.Failure<typeof tool>>().type.toBe<NetworkError | ProcessError>()
    expect<Tool.Success<typeof tool>>().type.toBe<string | number | Process.Result>()
  })

  test("streams", () => {
    Tool.make({
      ...base,
      capabilities: { network: { allowedHosts: ["a.com"] } },
      execute: () => Stream.runDrain(Network.stream("https://a.com/"))
    })
  })

  test("parameters of any schema", () => {
    class Point extends Schema.Class<Point>("Point")({ a: Schema.Number }) {}
    Tool.make({
      name: "t",
      description: "d",
      parameters: Schema.Struct({
        d: Schema.Date,
        o: Schema.optionalWith(Schema.Int, { default: () => 1 }),
        p: Point,
        l: Schema.Literal("x", "y")
      }),
      success: Schema.Array(Schema.Date),
      capabilities: {},
      execute: ({ d, o, p, l }) => Effect.succeed(l === "x" ? [d] : [new Date(o + p.a)])
    })
  })
})

describe("coverage", () => {
  test("a wildcard covers subdomains at any depth, in any case", () => {
    Tool.make({
      ...base,
      capabilities: { network: { allowedHosts: ["*.GitHub.com"] } },
      execute: () =>
        Effect.all([Network.get("https://a.github.com/"), Network.get("https://a.b.GITHUB.com:443/?q")])
    })
  })

  test("a star covers every host, binary and kind, and a shell", () => {
    Tool.make({
      ...base,
      capabilities: {
        network: { allowedHosts: ["*"] },
        process: { allowedBinaries: ["*"] },
        attachments: { kinds: "*" }
      },
      execute: ({ x }) =>
        Effect.all([
          Network.get("http://any.example"),
          Process.spawn("git"),
          Process.shell(x),
          Attachments.list("audio"),
          Attachments.list()
        ])
    })
  })

  test("from-personality covers every path", () => {
    Tool.make({
      ...base,
      capabilities: { fs_reach: { read: "from-personality", write: "from-personality" } },
      execute: ({ x }) =>
        Effect.all([Files.read("/a"), Files.write("~/b", ""), Files.read(x), Files.stat("c/d")])
    })
  })

  test("a root covers itself and what lies under it", () => {
    Tool.make({
      ...base,
      capabilities: { fs_reach: { read: ["/data/", "~/.config"], write: ["/"] } },
      execute: ({ x }) =>
        Effect.all([
          Files.read("/data"),
          Files.read("/data/x"),
          Files.read(`/data/${x}`),
          Files.read("~/.config/app.yaml"),
          Files.write("/etc/passwd", "")
        ])
    })
  })

  test("a folder of secrets covers what lies deeper", () => {
    Tool.make({
      ...base,
      capabilities: { secrets: ["team/mail/*"] },
      execute: () => Effect.all([Secrets.get("team/mail/user"), Secrets.get("team/mail/a/b")])
    })
    Tool.make({
      ...base,
      // @ts-expect-error is not assignable to type '"capability not declared: secrets needs 'team/mail'"'.
      capabilities: { secrets: ["team/mail/*"] },
      execute: () => Secrets.get("team/mail")
    })
  })

  test("attachments bring the reach to read them", () => {
    Tool.make({
      ...base,
      capabilities: { attachments: { kinds: ["image", "file"] } },
      execute: ({ x }) =>
        Effect.gen(function* () {
          const [first] = yield* Attachments.list("image")
          if (first !== undefined) yield* Attachments.open(first)
          yield* Attachments.read(x)
          return yield* Files.readBytes(yield* Attachments.openByRef(x))
        })
    })
  })

  test("storage, records and agents", () => {
    Tool.make({
      ...base,
      capabilities: {
        storage: { scope: "session", kind: "kv", ttlSecondsDefault: 60 },
        records: { verbs: ["read", "update"], classes: ["note"] },
        agents: { verbs: ["grant"], ids: ["helper"] }
      },
      execute: ({ x }) =>
        Effect.gen(function* () {
          yield* Storage.update(x, (current) => current)
          yield* Records.update({ id: x, body: (yield* Records.get(x)).body })
          yield* Agents.grant({ agent: "helper", grants: ["records.read"] })
        })
    })
  })

  test("dynamic strings ask for the category only", () => {
    Tool.make({
      ...base,
      capabilities: { network: { allowedHosts: ["a.com"] }, secrets: [], process: { allowedBinaries: [] } },
      execute: ({ x }) =>
        Effect.all([Network.get(x), Network.get(`https://${x}.a.com/`), Secrets.get(x), Process.spawn(x)])
    })
  })
})

describe("services of a declaration", () => {
  test("none", () => {
    expect<ServicesOf<{}>>().type.toBe<never>()
  })

  test("all of one direction", () => {
    expect<ServicesOf<{ readonly fs_reach: { readonly read: "from-personality" } }>>().type.toBe<
      Files | Files.Read<string>
    >()
  })

  test("more literals than the compiler would compare as one union", () => {
    type Many = "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3" extends infer S extends string
      ? Split<S>
      : never
    type Split<S extends string> = S extends `${infer A} ${infer B}` ? A | Split<B> : S
    expect<Exclude<Process.RequiredBy<Many>, Process.Declared<Many>>>().type.toBe<never>()
  })
})

test("an IPv6 address in brackets", () => {
  Tool.make({
    ...base,
    capabilities: { network: { allowedHosts: ["[::1]"] } },
    execute: () => Network.get("http://[::1]:8080/x")
  })
})

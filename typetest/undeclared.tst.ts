// What a tool uses and does not declare is a complaint on `capabilities`, in words.
import { Effect, Schema, Stream } from "effect"
import { test } from "tstyche"
import { Agents } from "../src/capabilities/agents/Agents.js"
import { Attachments } from "../src/capabilities/attachments/Attachments.js"
import { Files } from "../src/capabilities/files/Files.js"
import { Network } from "../src/capabilities/network/Network.js"
import { Process } from "../src/capabilities/process/Process.js"
import { Records } from "../src/capabilities/records/Records.js"
import { Secrets } from "../src/capabilities/secrets/Secrets.js"
import { Storage } from "../src/capabilities/storage/Storage.js"
import * as Tool from "../src/tools/Tool.js"

const base = { name: "t", description: "d", parameters: Schema.Struct({ x: Schema.String }) } as const

test("a host", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: network.allowedHosts needs 'evil.com'"'.
    capabilities: { network: { allowedHosts: ["api.weather.gov"] } },
    execute: () => Network.get("https://evil.com/x")
  })
})

test("each of several hosts", () => {
  Tool.make({
    ...base,
    // @ts-expect-error '"capability not declared: network.allowedHosts needs 'github.com'" | "capability not declared: network.allowedHosts needs 'second.com'"'.
    capabilities: { network: { allowedHosts: ["api.weather.gov", "*.github.com"] } },
    execute: () =>
      Effect.gen(function* () {
        yield* Network.get("https://api.github.com/x")
        yield* Network.get("https://github.com/x")
        yield* Network.get("https://second.com")
      })
  })
})

test("a host behind every method of Network", () => {
  const Body = Schema.Struct({ a: Schema.Number })
  Tool.make({
    ...base,
    // @ts-expect-error '"capability not declared: network.allowedHosts needs 'a.com'" | "capability not declared: network.allowedHosts needs 'b.com'" | "capability not declared: network.allowedHosts needs 'c.com'" | "capability not declared: network.allowedHosts needs 'd.com'"'.
    capabilities: { network: { allowedHosts: [] } },
    execute: () =>
      Effect.all([
        Network.request("GET", "https://a.com/"),
        Network.post("https://a.com/"),
        Network.put("https://a.com/"),
        Network.delete("https://a.com/"),
        Network.json("https://b.com/", Body),
        Network.bytes("https://c.com/"),
        Stream.runDrain(Network.stream("https://d.com/"))
      ])
  })
})

test("a secret", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: secrets needs 'B'"'.
    capabilities: { secrets: ["A"] },
    execute: () => Secrets.get("B")
  })
})

test("a binary, in a category that is not declared at all", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: process.allowedBinaries needs 'git'"'.
    capabilities: { network: { allowedHosts: ["api.weather.gov"] } },
    execute: ({ x }) =>
      Effect.gen(function* () {
        yield* Process.spawn("git", [x])
        return yield* Network.get("https://api.weather.gov/x")
      })
  })
})

test("a binary that streams", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: process.allowedBinaries needs 'rg'"'.
    capabilities: { process: { allowedBinaries: ["git"] } },
    execute: () => Stream.runCollect(Process.stream("rg"))
  })
})

test("a shell, whatever binaries are named", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: process.allowedBinaries needs '*' (a shell can run anything)"'.
    capabilities: { process: { allowedBinaries: ["sh", "bash"] } },
    execute: ({ x }) => Process.shell(x)
  })
})

test("a path to read", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: fs_reach.read needs '/etcx'"'.
    capabilities: { fs_reach: { read: ["/etc"] } },
    execute: () => Effect.all([Files.read("/etc/passwd"), Files.read("/etcx")])
  })
})

test("a path to write, though it may be read", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: fs_reach.write needs '/etc/passwd'"'.
    capabilities: { fs_reach: { read: ["/etc"], write: ["/tmp"] } },
    execute: () => Files.write("/etc/passwd", "")
  })
})

test("the direction of every method of Files", () => {
  Tool.make({
    ...base,
    // @ts-expect-error '"capability not declared: fs_reach.read needs '/r'" | "capability not declared: fs_reach.write needs '/w'"'.
    capabilities: { fs_reach: {} },
    execute: () =>
      Effect.all([
        Files.readBytes("/r"),
        Files.exists("/r"),
        Files.list("/r"),
        Files.stat("/r"),
        Files.entries("/r"),
        Files.mkdir("/w"),
        Files.append("/w", ""),
        Files.create("/w", ""),
        Files.remove("/w")
      ])
  })
})

test("both ends of a move, and the place of a temporary directory", () => {
  Tool.make({
    ...base,
    // @ts-expect-error '"capability not declared: fs_reach.write needs '/a'" | "capability not declared: fs_reach.write needs '/b'" | "capability not declared: fs_reach.write needs '/c'"'.
    capabilities: { fs_reach: { write: ["/w"] } },
    execute: () =>
      Effect.scoped(
        Effect.all([
          Files.rename("/a", "/w/x"),
          Files.rename("/w/x", "/b"),
          Files.temporary({ within: "/c" }),
          Files.temporary({ within: "/w", prefix: "x" }),
          Files.temporary()
        ])
      )
  })
})

test("a kind of attachment", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: attachments.kinds needs 'file'"'.
    capabilities: { attachments: { kinds: ["image"] } },
    execute: () => Attachments.list("file")
  })
})

test("a verb on records", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: records.verbs needs 'create'"'.
    capabilities: { records: { verbs: ["read"] } },
    execute: ({ x }) => Effect.all([Records.get(x), Records.create({ id: x })])
  })
})

test("a verb on agents", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: agents.verbs needs 'grant'"'.
    capabilities: { agents: { verbs: ["create"] } },
    execute: ({ x }) => Agents.grant({ agent: x, grants: [] })
  })
})

test("categories, where nothing is literal", () => {
  Tool.make({
    ...base,
    // @ts-expect-error '"capability not declared: network" | "capability not declared: secrets" | "capability not declared: fs_reach" | "capability not declared: process"'.
    capabilities: {},
    execute: ({ x }) => Effect.all([Network.get(x), Secrets.get(x), Files.read(x), Process.spawn(x)])
  })
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: storage" | "capability not declared: attachments"'.
    capabilities: {},
    execute: ({ x }) => Effect.all([Storage.get(x), Attachments.openByRef(x)])
  })
})

test("service style", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: network.allowedHosts needs 'b.com'"'.
    capabilities: { network: { allowedHosts: ["a.com"] } },
    execute: () =>
      Effect.gen(function* () {
        const network = yield* Network
        return yield* network.get("https://b.com")
      })
  })
})

test("Effect.fn", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: secrets needs 'B'"'.
    capabilities: { secrets: ["A"] },
    execute: Effect.fn("t")(function* (args) {
      yield* Secrets.get("B")
      return args.x
    })
  })
})

test("pipe style", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: network.allowedHosts needs 'b.com'"'.
    capabilities: { secrets: ["A"], network: { allowedHosts: ["a.com"] } },
    execute: ({ x }) => Secrets.get("A").pipe(Effect.flatMap(() => Network.get(`https://b.com/${x}`)))
  })
})

test("a function written elsewhere", () => {
  const execute = (args: { readonly x: string }) => Network.get(`https://a.com/${args.x}`)
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: network.allowedHosts needs 'a.com'"'.
    capabilities: {},
    execute
  })
})

test("one branch of two", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: process.allowedBinaries needs 'git'"'.
    capabilities: { network: { allowedHosts: ["a.com"] } },
    execute: ({ x }) => (x === "" ? Network.get("https://a.com") : Process.spawn("git"))
  })
})

test("each member of a union of literals", () => {
  Tool.make({
    ...base,
    // @ts-expect-error is not assignable to type '"capability not declared: process.allowedBinaries needs 'rg'"'.
    capabilities: { process: { allowedBinaries: ["git"] } },
    execute: ({ x }) => Process.spawn(x === "" ? "git" : "rg")
  })
})

test("capabilities written after execute", () => {
  Tool.make({
    ...base,
    execute: ({ x }) => Process.spawn("rm", [x]),
    // @ts-expect-error is not assignable to type '"capability not declared: process.allowedBinaries needs 'rm'"'.
    capabilities: { process: { allowedBinaries: ["git"] } }
  })
})

test("a command that is started needs its binary, and its input what that needs", () => {
  Tool.make({
    ...base,
    // @ts-expect-error capability not declared: process.allowedBinaries needs 'git'
    capabilities: { process: { allowedBinaries: ["rg"] } },
    execute: () => Effect.scoped(Effect.asVoid(Process.start("git")))
  })
  Tool.make({
    ...base,
    capabilities: { process: { allowedBinaries: ["cat"] } },
    execute: () => Effect.asVoid(Process.spawn("cat", [], { stdin: Stream.empty }))
  })
  Tool.make({
    ...base,
    // @ts-expect-error capability not declared: network.allowedHosts needs 'a.com'
    capabilities: { process: { allowedBinaries: ["cat"] } },
    execute: () =>
      Effect.asVoid(
        Process.spawn("cat", [], {
          stdin: Stream.drain(Stream.fromEffect(Network.get("https://a.com/")))
        })
      )
  })
})

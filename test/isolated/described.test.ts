/** The threat: a module that describes its tools so that a reader, a model or the host takes them for something else. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, it } from "@effect/vitest"
import * as Isolated from "bailiwick/isolated"
import { Effect, Either } from "effect"
import { readHello } from "../../src/isolated/host/Description.js"
import { at, directory } from "./world.js"

const kept = directory()
const folder = directory()

/** A module that says this first, past the library, and nothing else. */
const saying = (name: string, value: unknown): URL => {
  const file = join(folder, `${name.replaceAll(/\W/g, "-")}.mjs`)
  writeFileSync(
    file,
    `import { writeSync } from "node:fs"
const head = Buffer.from(${JSON.stringify(JSON.stringify({ t: "hello", id: 0, value }))})
const lengths = Buffer.alloc(8)
lengths.writeUInt32LE(head.length, 0)
lengths.writeUInt32LE(head.length, 4)
const frame = Buffer.concat([lengths, head])
for (let at = 0; at < frame.length; ) at += writeSync(3, frame, at)
await new Promise((resolve) => setTimeout(resolve, 600_000))
`
  )
  return pathToFileURL(file)
}

const honest = {
  exported: "shout",
  name: "shout",
  description: "Shouts",
  parameters: { type: "object", properties: {} },
  capabilities: {},
  services: [],
  readOnly: false,
  outputIsUntrusted: false,
  cache: false,
  asks: false,
  isAvailable: false
}

const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } })

const lies: Readonly<Record<string, unknown>> = {
  "no list": { tools: honest },
  nothing: null,
  "more than tools": { tools: [], host: true },
  "a name that is none": { tools: [{ ...honest, name: "rm -rf /" }] },
  "no description": { tools: [{ ...honest, description: " " }] },
  "a key that nobody knows": { tools: [{ ...honest, trusted: true }] },
  "a category that nobody knows": { tools: [{ ...honest, capabilities: { everything: true } }] },
  "a host that is a URL": {
    tools: [{ ...honest, capabilities: { network: { allowedHosts: ["https://a.com/"] } } }]
  },
  "parameters that are no object": { tools: [{ ...honest, parameters: { type: "string" } }] },
  "parameters that hide something": {
    tools: [{ ...honest, parameters: { type: "object", properties: { "a\u202eb": {} } } }]
  },
  "parameters without end": { tools: [{ ...honest, parameters: { type: "object", ...deep(80) } }] },
  "parameters that are too long": {
    tools: [
      {
        ...honest,
        parameters: { type: "object", $comment: "x".repeat(1000), enum: Array(20_000).fill("word") }
      }
    ]
  },
  "an export that hides something": { tools: [{ ...honest, exported: "sh\u200bout" }] },
  "two tools of one name": { tools: [honest, { ...honest, exported: "other", readOnly: true }] },
  "more tools than anybody has": {
    tools: Array.from({ length: 600 }, (_, at) => ({ ...honest, name: `t${at}` }))
  },
  "a deadline that is none": { tools: [{ ...honest, deadlineMillis: -1 }] }
}

const isRefused = ({ code, message }: Isolated.IsolatedError, name: string): void => {
  expect(code, name).toBe("DESCRIPTION_REFUSED")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there is none is the point
  expect(message, name).not.toMatch(/[\u0000-\u001f\u200b\u202e]/)
}

it("a description that cannot be accepted is refused as a whole, in words", () => {
  expect(Either.isRight(readHello({ tools: [honest] }, Isolated.defaults))).toBe(true)
  for (const [name, value] of Object.entries(lies)) {
    const read = readHello(JSON.parse(JSON.stringify(value)), Isolated.defaults)
    isRefused(Either.getOrThrow(Either.flip(read)), name)
  }
})

it.live("and so it is when a process says it", () =>
  Effect.gen(function* () {
    const options = { directory: kept, snapshot: false }
    const [accepted] = yield* Isolated.describe(saying("honest", { tools: [honest] }), options)
    expect(accepted).toMatchObject({ name: "shout" })
    const name = "an export that hides something"
    isRefused(yield* Effect.flip(Isolated.describe(saying("hidden", lies[name]), options)), name)
  })
)

it("what is declared, and for how long a call may take, has an end", () => {
  const hosts = (count: number) => Array.from({ length: count }, (_, at) => `h${at}.test`)
  const more: ReadonlyArray<readonly [object, boolean]> = [
    [{ deadlineMillis: Number.POSITIVE_INFINITY }, false],
    [{ deadlineMillis: 25 * 3_600_000 }, false],
    [{ deadlineMillis: 3_600_000 }, true],
    [{ capabilities: { network: { allowedHosts: hosts(1000) } } }, false],
    [{ capabilities: { secrets: hosts(200).map((host) => ({ ref: "KEY", hosts: [host] })) } }, false],
    [{ capabilities: { network: { allowedHosts: hosts(100) } } }, true]
  ]
  for (const [one, isFine] of more) {
    const read = readHello({ tools: [{ ...honest, ...one }] }, Isolated.defaults)
    expect(Either.isRight(read), JSON.stringify(one).slice(0, 60)).toBe(isFine)
  }
})

it.live(
  "two tools of one name are refused where they describe themselves alike, and one that is exported twice is not",
  () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(Isolated.describe(at("namesakes"), { directory: kept }))
      isRefused(refused, "namesakes")
      expect(refused.detail).toBe("the module has two tools of the name same: one, other")
      const all = yield* Isolated.describe(at("basic"), { directory: kept })
      const places = all.filter(({ name }) => name === "noop").map(({ exported }) => exported)
      expect(places.sort()).toEqual(["list", "noop"])
    })
)

it.live("a description is shown with what it hides written out, and cut", () =>
  Effect.gen(function* () {
    const description = `Shouts\u202e ${"x".repeat(10_000)}`
    const module = saying("long", { tools: [{ ...honest, description }] })
    const [one] = yield* Isolated.describe(module, { directory: kept, snapshot: false })
    expect(one?.description.length).toBeLessThan(4200)
    expect(one?.description.startsWith("Shouts\\u202e x")).toBe(true)
  })
)

it.live("an export named like a prototype is an export, and no prototype", () =>
  Effect.gen(function* () {
    const module = saying("prototype", { tools: [{ ...honest, exported: "__proto__" }] })
    const kit = yield* Isolated.toolkit<object>(module, { directory: kept, snapshot: false })
    expect(Object.getPrototypeOf(kit)).toBe(Object.prototype)
    expect(Object.keys(kit)).toEqual(["__proto__"])
  }).pipe(Effect.scoped)
)

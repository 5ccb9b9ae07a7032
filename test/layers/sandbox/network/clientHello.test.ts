/**
 * Whoever asks for one name in CONNECT and for another in TLS reaches a host that nobody permitted. So the hello is read
 * as strictly as can be, and what could be read in two ways is refused.
 */
import { type AddressInfo, connect as connectTcp, createServer } from "node:net"
import { type ConnectionOptions, connect as connectTls } from "node:tls"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { read } from "../../../../src/layers/node/sandbox/proxy/clientHello.js"
import { times } from "../../../deep.js"
import { ech, extension, grease, hello, name, names, records } from "./hellos.js"

/** What a client of Node says first. */
const captured = (options: ConnectionOptions): Effect.Effect<Buffer> =>
  Effect.async((resume) => {
    const server = createServer((socket) => {
      let heard = Buffer.alloc(0)
      socket
        .on("error", () => {})
        .on("data", (chunk) => {
          heard = Buffer.concat([heard, chunk])
          if (read(heard)._tag === "More") return
          socket.destroy()
          server.close(() => resume(Effect.succeed(heard)))
        })
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      connectTls({ ...options, socket: connectTcp(port, "127.0.0.1") }).on("error", () => {})
    })
  })

const named = (found: string) => ({ _tag: "Hello", name: found })

describe("A hello of a real client", () => {
  it.effect("holds the name that it asks for", () =>
    Effect.gen(function* () {
      for (const options of [
        {},
        { maxVersion: "TLSv1.2" },
        { minVersion: "TLSv1.3", ALPNProtocols: ["h2", "http/1.1"] }
      ] as const) {
        const bytes = yield* captured({ servername: "api.example.com", ...options })
        expect(read(bytes)).toEqual(named("api.example.com"))
      }
    })
  )

  it.effect("holds no name where it asks for an address", () =>
    Effect.map(captured({}), (bytes) => expect(read(bytes)).toEqual(named("")))
  )

  it.effect("is read however it is split, and never before it is whole", () =>
    Effect.map(captured({ servername: "api.example.com" }), (bytes) => {
      for (let length = 0; length < bytes.length; length++) {
        const found = read(bytes.subarray(0, length))
        expect(found._tag).toBe("More")
        if (found._tag === "More") expect(found.bytes).toBeGreaterThan(length)
      }
      for (const size of [40, 100, 250]) {
        expect(read(records(bytes.subarray(5), size))).toEqual(named("api.example.com"))
      }
    })
  )
})

describe("A hello", () => {
  it("may hold values that mean nothing, and names in capitals or with a final dot", () => {
    expect(read(records(hello([grease, name("Api.Example.com"), grease])))).toEqual(named("api.example.com"))
    expect(read(records(hello([name("api.example.com.")])))).toEqual(named("api.example.com"))
    expect(read(records(hello(undefined)))).toEqual(named(""))
    expect(read(records(hello([])))).toEqual(named(""))
  })

  it("is refused when it is encrypted, whatever name it shows [X05]", () => {
    for (const found of [
      read(records(hello([name("api.example.com"), ech]))),
      read(records(hello([ech, name("api.example.com")]))),
      read(records(hello([extension(0xffce, Buffer.alloc(8)), name("api.example.com")])))
    ]) {
      expect(found).toMatchObject({ _tag: "Refused", why: expect.stringContaining("ECH") })
    }
  })

  it.each([
    ["two names", hello([name("a.test"), name("b.test")])],
    [
      "two entries in the list of names",
      hello([
        names([
          [0, "a.test"],
          [0, "b.test"]
        ])
      ])
    ],
    ["a name of another kind", hello([names([[1, "a.test"]])])],
    ["an empty list of names", hello([names([])])],
    ["an empty name", hello([name("")])],
    ["a name that is none", hello([name("a.test\u0000.evil.test")])],
    ["a name with a blank", hello([name("a.test ")])],
    ["two final dots", hello([name("a.test..")])],
    [
      "bytes after the name",
      hello([extension(0, Buffer.concat([name("a.test").subarray(4), Buffer.from([0])]))])
    ],
    ["bytes after the extensions", Buffer.concat([hello([name("a.test")]), Buffer.from([0])])],
    ["another message behind it", Buffer.concat([hello([name("a.test")]), hello([name("b.test")])])],
    ["an extension that ends after the hello", hello([Buffer.from([0, 0, 0, 99])])]
  ])("is refused with %s", (_, message) => {
    expect(read(records(message))._tag).toBe("Refused")
  })

  it.each([
    ["no handshake", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    ["the hello of SSL 2", Buffer.from([0x80, 0x2e, 1, 0, 2])],
    ["a version that is none", Buffer.from([0x16, 2, 1, 0, 10])],
    ["an empty record", Buffer.from([0x16, 3, 1, 0, 0])],
    ["a record that is too large", Buffer.from([0x16, 3, 1, 0x40, 1])],
    ["the hello of a server", Buffer.from([0x16, 3, 3, 0, 9, 2])],
    ["a hello that is too large", Buffer.from([0x16, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff])]
  ])("is not %s", (_, bytes) => {
    expect(read(bytes)._tag).toBe("Refused")
  })

  it("is refused in more records than anybody needs", () => {
    expect(read(records(hello([name("a.test")]), 1))._tag).toBe("Refused")
  })
})

const anyName = fc.stringMatching(/^[a-z]{1,8}(\.[a-z0-9]{1,8}){1,3}$/)

const other = fc
  .tuple(fc.integer({ min: 1, max: 0xfe00 }), fc.uint8Array({ maxLength: 40 }))
  .map(([type, body]) => extension(type, Buffer.from(body)))

describe("Whatever is sent", () => {
  it("never throws, and never has a name that is not there", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (random, isRecord) => {
        const bytes = isRecord ? records(Buffer.from(random)) : Buffer.from(random)
        const found = read(bytes)
        if (found._tag === "Hello" && found.name !== "") {
          expect(bytes.toString("latin1").toLowerCase()).toContain(found.name)
        }
      }),
      { numRuns: times(500) }
    )
  })

  it("is the name that was put there, among any others and in any records", () => {
    fc.assert(
      fc.property(
        anyName,
        fc.array(other, { maxLength: 6 }),
        fc.nat(6),
        fc.integer({ min: 20, max: 500 }),
        (asked, extensions, place, size) => {
          const all = [...extensions]
          all.splice(Math.min(place, all.length), 0, name(asked))
          expect(read(records(hello(all), size))).toEqual(named(asked))
        }
      ),
      { numRuns: times(200) }
    )
  })

  it("is no other name when any one of its bytes is another", () => {
    fc.assert(
      fc.property(anyName, fc.nat(), fc.nat(255), (asked, place, value) => {
        const bytes = records(hello([grease, name(asked), grease]))
        bytes[place % bytes.length] = value
        const found = read(bytes)
        if (found._tag === "Hello" && found.name !== "") {
          expect(bytes.toString("latin1").toLowerCase()).toContain(found.name)
        }
      }),
      { numRuns: times(500) }
    )
  })
})

/**
 * Threat: somebody who can reach a runner, hear its connections or write to its store, and does not have the key. What was
 * forged, altered, sent again or sent elsewhere is refused, and no secret is there to be read.
 */

import { Personality, Turn } from "bailiwick"
import { Duration, Either, FastCheck as fc, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { Ends, NotAuthentic } from "../../src/cluster/transport/Frames.js"
import { type Keyring, keyOf } from "../../src/cluster/wire/Keys.js"
import { pack, unpack } from "../../src/cluster/wire/Portable.js"
import { open, seal } from "../../src/cluster/wire/Sealing.js"
import { unsendable } from "../../src/cluster/wire/Secrecy.js"
import * as Turns from "../../src/cluster/wire/Turns.js"
import { Scrubber } from "../../src/registry/scrub/Scrubber.js"

const ring = (secret: string, encryption?: string): Keyring => [keyOf(secret, encryption)]

const ours = ring("our key")
const theirs = ring("their key")
const encrypting = ring("our key", "another secret")

/** Two ends whose bytes go through the hands of somebody. */
const connected = (client: Keyring, server: Keyring) => {
  const sent = { client: [] as Array<Uint8Array>, server: [] as Array<Uint8Array> }
  const b = new Ends("server", server, (bytes) => sent.server.push(bytes))
  const a = new Ends("client", client, (bytes) => sent.client.push(bytes))
  const pass = () => {
    for (const bytes of sent.client.splice(0)) b.take(bytes)
    for (const bytes of sent.server.splice(0)) a.take(bytes)
    for (const bytes of sent.client.splice(0)) b.take(bytes)
  }
  return { a, b, pass, sent }
}

const opened = () => {
  const both = connected(ours, ours)
  both.pass()
  expect([both.a.isOpen, both.b.isOpen]).toEqual([true, true])
  return both
}

const bytes = (text: string) => Buffer.from(text, "utf8")

describe("frames", () => {
  it("come out as they went in, however they are cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 50 }),
        (all, cut) => {
          const { a, b } = opened()
          const stream = Buffer.concat(all.map((one) => a.seal(one)))
          const found: Array<Buffer> = []
          for (let at = 0; at < stream.length; at += cut) found.push(...b.take(stream.subarray(at, at + cut)))
          expect(found.map((one) => [...one])).toEqual(all.map((one) => [...one]))
        }
      )
    )
  })

  it("of another key, or of no key, are refused before anything is read", () => {
    expect(() => connected(theirs, ours).pass()).toThrow(NotAuthentic)
    const { b } = connected(ours, ours)
    expect(() => b.take(bytes("GET / HTTP/1.1\r\n\r\n"))).toThrow(NotAuthentic)
    // Who knows the name of the key, and not the key, has no frame that opens.
    const hello = Buffer.concat([bytes("BWC1"), bytes(ours[0].id), Buffer.alloc(32)])
    const { b: other } = connected(ours, ours)
    other.take(hello)
    expect(other.isOpen).toBe(false)
    expect(() => other.take(Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.alloc(16)]))).toThrow(
      NotAuthentic
    )
  })

  it("that are altered, sent again, left out, sent back or of another connection do not open", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const { a, b } = opened()
        const frame = a.seal(bytes("a message"))
        // The length says how much belongs to it: past the first bytes, every byte is covered.
        const at = 4 + (place % (frame.length - 4))
        frame[at] = (frame[at] ?? 0) ^ change
        expect(() => b.take(frame)).toThrow(NotAuthentic)
      })
    )
    const one = opened()
    const frame = one.a.seal(bytes("once"))
    expect(one.b.take(frame)).toHaveLength(1)
    expect(() => one.b.take(frame)).toThrow(NotAuthentic)
    const two = opened()
    two.a.seal(bytes("left out"))
    expect(() => two.b.take(two.a.seal(bytes("next")))).toThrow(NotAuthentic)
    const three = opened()
    expect(() => three.a.take(three.a.seal(bytes("sent back")))).toThrow(NotAuthentic)
    expect(() => opened().b.take(opened().a.seal(bytes("elsewhere")))).toThrow(NotAuthentic)
  })

  it("of a length that nobody would send are refused before they are waited for", () => {
    const { b } = opened()
    expect(() => b.take(Buffer.from([0xff, 0xff, 0xff, 0xff]))).toThrow(NotAuthentic)
  })
})

describe("what is sealed at rest", () => {
  for (const [name, keys] of [
    ["signed", ours],
    ["encrypted", encrypting]
  ] as const) {
    it(`${name}: opens for what it is for, and for nothing else`, () => {
      fc.assert(
        fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, purpose) => {
          const sealed = seal(keys, ["turn", purpose], text)
          expect(open(keys, ["turn", purpose], sealed)).toEqual(Either.right(text))
          for (const other of [
            ["reply", purpose],
            ["turn", `${purpose} `],
            [`turn${purpose}`],
            ["turn", purpose, ""]
          ]) {
            expect(Either.isLeft(open(keys, other, sealed))).toBe(true)
          }
          expect(Either.isLeft(open(theirs, ["turn", purpose], sealed))).toBe(true)
        })
      )
    })

    it(`${name}: does not open once a character of it is another`, () => {
      const sealed = seal(keys, ["turn"], "a message of some length")
      for (let at = 0; at < sealed.length; at++) {
        const other = sealed[at] === "A" ? "B" : "A"
        const altered = sealed.slice(0, at) + other + sealed.slice(at + 1)
        const found = open(keys, ["turn"], altered)
        // The last character may have bits that stand for nothing.
        if (Either.isRight(found))
          expect([at, found.right]).toEqual([sealed.length - 1, "a message of some length"])
      }
    })
  }

  it("who encrypts takes nothing that is not encrypted, and neither key alone opens it", () => {
    const plain = seal(ours, ["turn"], "hello")
    const secret = seal(encrypting, ["turn"], "hello")
    expect(open(encrypting, ["turn"], plain)).toEqual(Either.left("not encrypted"))
    expect(Either.isLeft(open(ours, ["turn"], secret))).toBe(true)
    expect(Either.isLeft(open(ring("our key", "a third secret"), ["turn"], secret))).toBe(true)
    expect(Buffer.from(secret.split(".")[2] ?? "", "base64url").includes("hello")).toBe(false)
  })

  it("a key may be changed while messages of the last one are about", () => {
    const both: Keyring = [keyOf("new"), keyOf("our key")]
    expect(open(both, ["turn"], seal(ours, ["turn"], "old"))).toEqual(Either.right("old"))
    expect(Either.isLeft(open(ours, ["turn"], seal(both, ["turn"], "new")))).toBe(true)
  })
})

const policy = Personality.policy(
  Personality.parseSync({ config: { file: "config.yaml", text: "id: worker" } }, { workdir: "/" })
)

const bodyOf = (session: string, args: unknown) =>
  Turns.bodyOf({
    turn: Turn.make({ session, policy, workdir: "/" }),
    calls: [{ id: "1", name: "work", args }],
    id: "turn",
    at: 1,
    patienceMillis: 1000
  })

describe("a turn", () => {
  it("is the same turn when it is sent again, and another with other contents", () => {
    const [a, b] = [bodyOf("s", { x: 1 }), { ...bodyOf("s", { x: 1 }), at: 2, until: 3 }]
    expect(Turns.sealTurn(ours, a).key).toBe(Turns.sealTurn(ours, b).key)
    expect(Turns.sealTurn(ours, a).key).not.toBe(Turns.sealTurn(ours, bodyOf("s", { x: 2 })).key)
  })

  it("opens for its session alone, and under its own key", () => {
    const sealed = Turns.sealTurn(ours, bodyOf("s", {}))
    expect(Either.isRight(Turns.openTurn(ours, Turns.entityOf("s"), sealed))).toBe(true)
    expect(Turns.openTurn(ours, Turns.entityOf("other"), sealed)).toEqual(Either.left("altered"))
    expect(Turns.openTurn(ours, Turns.entityOf("s"), { ...sealed, key: "0".repeat(64) })).toEqual(
      Either.left("altered")
    )
  })

  it("comes with the arguments that it was sent with, whatever they look like", () => {
    const sent = (args: unknown) =>
      Either.map(Turns.openTurn(ours, Turns.entityOf("s"), Turns.sealTurn(ours, bodyOf("s", args))), (body) =>
        JSON.stringify(body.calls[0]?.args)
      )
    for (const args of [
      { $bailiwick: ["bytes", "AAAA"] },
      [{ $bailiwick: ["number", "Infinity"] }],
      JSON.parse('{ "__proto__": { "a": 1 }, "b": { "constructor": 2 } }'),
      { a: undefined, b: -0, "2": 1, "1": 2 }
    ]) {
      expect(sent(args)).toEqual(Either.right(JSON.stringify(args)))
    }
    fc.assert(
      fc.property(fc.jsonValue(), (args) => {
        expect(sent(args)).toEqual(Either.right(JSON.stringify(args)))
      })
    )
  })

  it("has limits that are numbers, or none", () => {
    const body = bodyOf("s", {})
    const unlimited = Turns.bodyOf({
      turn: Turn.make({
        session: "s",
        policy,
        workdir: "/",
        budget: Number.POSITIVE_INFINITY,
        concurrency: Number.POSITIVE_INFINITY,
        deadline: "1 second"
      }),
      calls: [],
      at: 1,
      patienceMillis: Number.POSITIVE_INFINITY
    })
    expect(
      Either.map(Turns.openTurn(ours, Turns.entityOf("s"), Turns.sealTurn(ours, unlimited)), Turns.limitsOf)
    ).toEqual(
      Either.right({
        budget: Number.POSITIVE_INFINITY,
        concurrency: Number.POSITIVE_INFINITY,
        deadline: Duration.seconds(1)
      })
    )
    // What a client that lies would write by hand.
    for (const lie of ["budget", "concurrency", "deadlineMillis", "until", "at"]) {
      for (const value of ["1e999", "-1", "-1e999", '"1"']) {
        const text = JSON.stringify({ ...body, [lie]: 0 }).replace(`"${lie}":0`, `"${lie}":${value}`)
        const forged = JSON.parse(text)
        const { key, sealed } = Turns.sealTurn(ours, forged)
        const raw = { key, sealed: seal(ours, ["turn", Turns.entityOf("s"), key], text) }
        expect(sealed).not.toBe("")
        expect(Either.isLeft(Turns.openTurn(ours, Turns.entityOf("s"), raw)), `${lie} ${value}`).toBe(
          !((lie === "at" || lie === "until") && value === "-1")
        )
      }
    }
  })

  it("names its session by what any row can hold", () => {
    for (const session of ["", "\0", "x".repeat(1000), "\ud800", "a/b"]) {
      expect(Turns.entityOf(session)).toMatch(/^[0-9a-f]{64}$/)
    }
  })
})

describe("no secret is in a message", () => {
  const scrubber = new Scrubber(true)
  scrubber.add("the value of a secret")

  it("neither marked as one, nor given out here, nor with the shape of a token, however deep", () => {
    for (const held of [
      Redacted.make("x"),
      "the value of a secret",
      Buffer.from("the value of a secret").toString("base64"),
      `ghp_${"aB3dE6gH9jK2".repeat(3)}`
    ]) {
      expect(unsendable({ a: [{ b: held }] }, scrubber)).toBe("a secret")
      if (typeof held === "string") expect(unsendable({ [held]: 1 }, scrubber)).toBe("a secret")
    }
  })

  it("and what is no plain data is not sent either", () => {
    for (const held of [() => 1, Symbol("x"), 1n, new Map(), new Date(), Number.NaN]) {
      expect(unsendable([held], scrubber)).toBeTypeOf("string")
    }
    expect(unsendable({ text: "hello", list: [1, true, null, { a: undefined }] }, scrubber)).toBeUndefined()
  })
})

it("what a tool answers comes out as it went in", () => {
  fc.assert(
    fc.property(
      fc.anything({
        withBigInt: false,
        withDate: true,
        withMap: true,
        withSet: true,
        withTypedArray: false,
        withNullPrototype: false,
        withBoxedValues: false,
        withSparseArray: false
      }),
      (value) => {
        expect(unpack(JSON.parse(JSON.stringify(pack(value))))).toEqual(value)
      }
    )
  )
  const bytes = new Uint8Array([0, 255])
  expect(unpack(JSON.parse(JSON.stringify(pack({ $bailiwick: ["bytes", "x"], bytes }))))).toEqual({
    $bailiwick: ["bytes", "x"],
    bytes
  })
})

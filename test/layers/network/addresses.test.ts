/**
 * Threat: a permitted name or an odd spelling leads to an address that the policy did not mean. Nothing here is dialled:
 * the connector keeps what it is asked for, and refuses.
 */
import { networkInterfaces } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as NodeNetwork from "../../../src/layers/node/network/NodeNetwork.js"
import { get, names, network, reach, recorder } from "./fixture.js"

const PRIVATE = [
  "127.0.0.1",
  "127.255.255.254",
  "10.0.0.5",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "100.64.0.1",
  "100.127.255.255",
  "::1",
  "fc00::1",
  "fdff:ffff::1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1"
]

const NEVER = [
  // Unspecified, link-local, multicast, reserved, broadcast, documentation, benchmarks, protocol assignments.
  "0.0.0.0",
  "0.1.2.3",
  "169.254.169.254",
  "169.254.170.2",
  "169.254.0.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "192.0.2.1",
  "198.51.100.1",
  "203.0.113.1",
  "198.18.0.1",
  "192.0.0.1",
  "192.0.0.192",
  "192.88.99.1",
  // Metadata in ranges that are otherwise public or private.
  "168.63.129.16",
  "100.100.100.200",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "fd00:42::42",
  "::",
  "fe80::1",
  "fe90::1",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "100::1",
  "2001:db8::1",
  "3fff::1",
  "4000::1",
  "5f00::1",
  // IPv4 inside IPv6: mapped, compatible, translated, through NAT64, 6to4 and Teredo.
  "::ffff:169.254.169.254",
  "::ffff:0.0.0.0",
  "::ffff:168.63.129.16",
  "::127.0.0.1",
  "::7f00:1",
  "::169.254.169.254",
  "::8.8.8.8",
  "::ffff:0:10.0.0.1",
  "::ffff:0:a00:1",
  "::ffff:0:8.8.8.8",
  "64:ff9b::7f00:1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::169.254.169.254",
  "64:ff9b:1::7f00:1",
  "64:ff9b:1::808:808",
  "2002:7f00:1::",
  "2002:a9fe:a9fe::1",
  "2002:c0a8:101::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:0:808:808::1"
]

const PUBLIC = [
  "8.8.8.8",
  "172.32.0.1",
  "100.128.0.1",
  "192.0.1.1",
  "2606:4700:4700::1111",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
  "2002:808:808::1"
]

/** What only a resolver can answer with: what the operating system would look up again, or send elsewhere. */
const UNREADABLE = [
  "0x7f.1",
  "2130706433",
  "127.1",
  "017700000001",
  "fe80::1%eth0",
  "2606::1%lo",
  "localhost",
  "",
  "1.2.3.4:80"
]

const literal = (address: string): string =>
  address.includes(":") ? `http://[${address}]/` : `http://${address}/`

/** What was dialled, or the code it was refused with. */
const outcome = (
  url: string,
  endpoints: ReadonlyArray<string>,
  resolves: Readonly<Record<string, string>> = {},
  options: NodeNetwork.Options = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { asked, connect } = recorder()
      const net = yield* network(reach(["*"], endpoints), {
        connect,
        resolve: names(resolves).resolve,
        ...options
      })
      const error = yield* Effect.flip(get(net, url))
      return asked.length > 0 ? `dialled ${asked.map(({ address }) => address).join(" ")}` : error.code
    })
  )

const refusal = expect.stringMatching(/^(ADDRESS|HOST)_NOT_ALLOWED$/)

describe("addresses in URLs (E1 E3 E7 E9 E10, N37-N60)", () => {
  it.effect.each(NEVER)("%s is refused although all private endpoints are named", (address) =>
    Effect.gen(function* () {
      expect(yield* outcome(literal(address), ["*"])).toEqual(refusal)
    })
  )

  it.effect.each(PRIVATE)("%s is refused unless the policy names it", (address) =>
    Effect.gen(function* () {
      expect(yield* outcome(literal(address), [])).toBe("ADDRESS_NOT_ALLOWED")
      expect(yield* outcome(literal(address), ["*:81", "example.com"])).toBe("ADDRESS_NOT_ALLOWED")
      expect(yield* outcome(literal(address), ["*:80"])).toMatch(/^dialled /)
    })
  )

  it.effect.each(PUBLIC)("%s is reached as any host is", (address) =>
    Effect.gen(function* () {
      expect(yield* outcome(literal(address), [])).toMatch(/^dialled /)
    })
  )
})

describe("addresses behind names (E12-E14, N19-N24)", () => {
  const named = (address: string, endpoints: ReadonlyArray<string>) =>
    outcome("http://name.example/", endpoints, { "name.example": address })

  it.effect.each([...NEVER, ...UNREADABLE])("a name for '%s' is refused", (address) =>
    Effect.gen(function* () {
      expect(yield* named(address, ["*"])).toBe("ADDRESS_NOT_ALLOWED")
    })
  )

  it.effect.each(PRIVATE)("a name for %s is refused unless the policy names the name", (address) =>
    Effect.gen(function* () {
      expect(yield* named(address, ["127.0.0.1", "10.0.0.5", "other.example"])).toBe("ADDRESS_NOT_ALLOWED")
      expect(yield* named(address, ["name.example:80"])).toBe(`dialled ${address}`)
    })
  )

  it.effect.each(PUBLIC)("a name for %s leads there", (address) =>
    Effect.gen(function* () {
      expect(yield* named(address, [])).toBe(`dialled ${address}`)
    })
  )
})

describe("addresses of this machine", () => {
  const having = (...addresses: ReadonlyArray<string>) => ({
    interfaces: () => ({ lo: [{ address: "127.0.0.1" }], eth0: addresses.map((address) => ({ address })) })
  })
  const OWN = [
    ["198.35.26.96", "198.35.26.96"],
    ["::ffff:198.35.26.96", "198.35.26.96"],
    ["198.35.26.96", "::ffff:198.35.26.96"],
    ["2606:4700::6810:84e5", "2606:4700::6810:84e5"],
    ["2606:4700::6810:84e5", "2606:4700:0:0:0:0:6810:84E5"],
    ["2606:4700::6810:84e5", "2606:4700::6810:84e5%eth0"]
  ] as const

  it.effect.each(OWN)(
    "%s: the first is refused unless the policy names it, where an interface has the second",
    ([asked, own]) =>
      Effect.gen(function* () {
        expect(yield* outcome(literal(asked), [], {}, having(own))).toBe("ADDRESS_NOT_ALLOWED")
        expect(yield* outcome(literal(asked), ["*:80"], {}, having(own))).toMatch(/^dialled /)
        expect(yield* outcome(literal(asked), [], {}, having())).toMatch(/^dialled /)
        const name = { "name.example": asked }
        expect(yield* outcome("http://name.example/", [], name, having(own))).toBe("ADDRESS_NOT_ALLOWED")
        expect(yield* outcome("http://name.example/", ["name.example:80"], name, having(own))).toBe(
          `dialled ${asked}`
        )
      })
  )

  it.effect.each(["64:ff9b::198.35.26.96", "2002:c623:1a60::1"])(
    "%s leads to one through a gateway, and is always refused",
    (asked) =>
      Effect.gen(function* () {
        expect(yield* outcome(literal(asked), ["*"], {}, having("198.35.26.96"))).toBe("ADDRESS_NOT_ALLOWED")
        expect(yield* outcome(literal(asked), [], {}, having())).toMatch(/^dialled /)
      })
  )

  it.effect("stay refused where no policy opens them", () =>
    Effect.gen(function* () {
      for (const address of ["fe80::1", "169.254.7.7", "4000::1"]) {
        expect(yield* outcome(literal(address), ["*"], {}, having(address))).toEqual(refusal)
      }
    })
  )

  it.effect("are looked at for every connection, because they come and go", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { asked, connect } = recorder()
        let own: ReadonlyArray<string> = []
        const net = yield* network(reach(["*"]), { connect, interfaces: () => having(...own).interfaces() })
        const attempt = Effect.map(Effect.flip(get(net, "http://198.35.26.96/")), ({ code }) => code)
        yield* attempt
        expect(asked).toHaveLength(1)
        own = ["198.35.26.96"]
        expect(yield* attempt).toBe("ADDRESS_NOT_ALLOWED")
        expect(asked).toHaveLength(1)
        own = []
        yield* attempt
        expect(asked).toHaveLength(2)
      })
    )
  )

  it.effect("are those that the system lists, where nothing else is said", () =>
    Effect.gen(function* () {
      const listed = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
      expect(listed.length).toBeGreaterThan(0)
      for (const { address } of listed) expect(yield* outcome(literal(address), [])).toEqual(refusal)
    })
  )

  it.effect("that cannot be listed let nothing out", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { asked, connect } = recorder()
        const interfaces = () => {
          throw new Error("EPERM: secret detail")
        }
        const net = yield* network(reach(["*"]), { connect, interfaces })
        const error = yield* Effect.flip(get(net, "http://198.35.26.96/"))
        expect(error.message).toBe(
          "REQUEST_FAILED: the addresses of this machine cannot be listed, so nothing was sent; the operator must let the program list them, or give the network layer the option interfaces"
        )
        expect(asked).toEqual([])
      })
    )
  )
})

describe("odd spellings of addresses", () => {
  it.effect.each([
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://127。0。0。1/",
    "http://127.0.0.1./",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]/"
  ])("E8/N30/N31/N35/N37: %s is loopback, refused unless it is named", (url) =>
    Effect.gen(function* () {
      expect(yield* outcome(url, [])).toBe("ADDRESS_NOT_ALLOWED")
      expect(yield* outcome(url, ["127.0.0.1:80"])).toBe("dialled 127.0.0.1")
    })
  )

  it.effect("E26: a private address that is declared and named is reached", () =>
    Effect.gen(function* () {
      expect(yield* outcome("http://10.0.0.5/", ["10.0.0.5:80"])).toBe("dialled 10.0.0.5")
      expect(yield* outcome("http://10.0.0.5:81/", ["10.0.0.5:80"])).toBe("ADDRESS_NOT_ALLOWED")
    })
  )
})

describe("hosts that are always refused", () => {
  it.effect.each([
    "http://metadata.google.internal/",
    "http://METADATA.google.internal./",
    "http://metadata.goog/",
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.170.2/v2/credentials",
    "http://[::ffff:169.254.169.254]/",
    "http://[fd00:ec2::23]/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://[fd20:ce::254]/"
  ])("E1/E2/E3/N52-N60/N90: %s is refused by the floor, before any name is looked up", (url) =>
    Effect.gen(function* () {
      expect(yield* outcome(url, ["*"])).toBe("HOST_NOT_ALLOWED")
    })
  )

  it.effect.each([22, 25, 53, 6667, 10080, 1, 0])(
    "N75: port %s is refused, whoever may reach the host",
    (port) =>
      Effect.gen(function* () {
        expect(yield* outcome(`http://api.ok.com:${port}/`, ["*"], { "api.ok.com": "8.8.8.8" })).toBe(
          "ADDRESS_NOT_ALLOWED"
        )
        expect(yield* outcome(`http://127.0.0.1:${port}/`, ["*"])).toBe("ADDRESS_NOT_ALLOWED")
      })
  )

  it.effect("says why and what to do, and whether a policy could lift it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { connect } = recorder()
        const net = yield* network(reach(["*"]), {
          connect,
          resolve: names({ "a.example": "0.0.0.0" }).resolve
        })
        const never = yield* Effect.flip(get(net, "http://a.example/?token=hunter2"))
        expect(never.message).toBe(
          "ADDRESS_NOT_ALLOWED: a.example is at an address that is always refused; use another host"
        )
        expect(never.denial).toMatchObject({ tool: "t", asked: "connect a.example:80", held: [] })
        const named = yield* Effect.flip(get(net, "http://127.0.0.1:8080/?token=hunter2"))
        expect(named.denial?.remedy).toBe('safety: { network: { private: ["127.0.0.1:8080"] } }')
        expect(JSON.stringify([never, named])).not.toContain("hunter2")
      })
    )
  )
})

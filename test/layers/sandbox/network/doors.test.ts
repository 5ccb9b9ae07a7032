/** Which address inside stands for which host. */
import { describe, expect, it } from "vitest"
import { doorsOf } from "../../../../src/layers/node/sandbox/doors.js"

describe("The doors of a child", () => {
  it("have an address for each name, at both ports of the web", () => {
    const { at, hosts, places } = doorsOf([
      { host: "a.test", port: 80 },
      { host: "b.test", port: 80 },
      { host: "b.test", port: 443 },
      { host: "b.test", port: 8080 }
    ])
    expect(hosts).toBe("127.0.0.1 localhost\n127.1.0.0 a.test\n127.1.0.1 b.test\n")
    expect(places).toEqual([
      { address: "0.0.0.0", port: 80 },
      { address: "0.0.0.0", port: 443 },
      { address: "127.1.0.1", port: 8080 }
    ])
    expect(at("127.1.0.0", 443)).toEqual({ host: "a.test", port: 443 })
    expect(at("127.1.0.1", 8080)).toEqual({ host: "b.test", port: 8080 })
    expect([at("127.1.0.0", 8080), at("127.0.0.1", 80), at(undefined, undefined)]).toEqual([
      undefined,
      undefined,
      undefined
    ])
  })

  it("are where everybody looks for an endpoint of loopback", () => {
    const { at, hosts, places } = doorsOf([
      { host: "127.0.0.1", port: 8080 },
      { host: "localhost", port: 9090 }
    ])
    expect(hosts).toBe("127.0.0.1 localhost\n")
    expect(places).toEqual([
      { address: "127.0.0.1", port: 8080 },
      { address: "127.0.0.1", port: 9090 }
    ])
    expect(at("127.0.0.1", 9090)).toEqual({ host: "localhost", port: 9090 })
  })

  it("are at the one address of loopback that IPv6 has, whose ports nobody shares", () => {
    const { at, hosts, places } = doorsOf([
      { host: "[::1]", port: 80 },
      { host: "[::1]", port: 8080 }
    ])
    expect(hosts).toBe("127.0.0.1 localhost\n")
    expect(places).toEqual([
      { address: "::1", port: 80 },
      { address: "::1", port: 443 },
      { address: "::1", port: 8080 }
    ])
    expect(at("::1", 8080)).toEqual({ host: "[::1]", port: 8080 })
    expect([at("127.0.0.1", 80), at("::", 80)]).toEqual([undefined, undefined])
  })

  it("are not there for other addresses, nor for what is no name", () => {
    const { hosts, places } = doorsOf([
      { host: "10.0.0.5", port: 8080 },
      { host: "[::2]", port: 8080 },
      { host: "[::ffff:127.0.0.1]", port: 8080 },
      { host: "a.test\n10.0.0.1 b.test", port: 80 },
      { host: "*", port: 80 }
    ])
    expect([hosts, places]).toEqual(["127.0.0.1 localhost\n", []])
  })

  it("are more than there are hosts in any policy", () => {
    const { at, hosts } = doorsOf(
      Array.from({ length: 1000 }, (_, index) => ({ host: `h${index}.test`, port: 80 }))
    )
    expect(new Set(hosts.split("\n")).size).toBe(1002)
    expect(at("127.1.3.231", 80)).toEqual({ host: "h999.test", port: 80 })
  })
})

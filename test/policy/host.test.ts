/**
 * Threat: a spelling of a host that one part of the system reads differently from another. The ids in brackets
 * name the conformance and attack cases.
 */

import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as Host from "../../src/policy/lattice/Host.js"
import * as HostSets from "../../src/policy/lattice/HostSet.js"
import { HostSet } from "../../src/policy/lattice/HostSet.js"
import * as Request from "../../src/policy/lattice/Request.js"
import { times } from "../deep.js"

const hosts = (...patterns: ReadonlyArray<string>): HostSet =>
  HostSet.make(patterns.map((pattern) => Either.getOrThrow(Host.parsePattern(pattern))))

const hostOf = (url: string): string => Either.getOrThrow(Host.fromUrl(url)).host

const reaches = (set: HostSet, url: string): boolean => set.has(hostOf(url))

const refusal = (pattern: string): string =>
  Either.match(Host.parsePattern(pattern), { onLeft: (error) => error.message, onRight: () => "accepted" })

describe("a host pattern", () => {
  it("[C1, C2] that is exact lets in that host and no other", () => {
    expect(reaches(hosts("api.example.com"), "https://api.example.com/v1")).toBe(true)
    expect(reaches(hosts("api.example.com"), "https://evil.com")).toBe(false)
  })

  it.each([
    ["C3", "https://api.github.com", true],
    ["C3", "https://raw.github.com", true],
    ["B5", "https://github.com", false],
    ["C5", "https://a.b.github.com", true],
    ["C6", "https://evil-github.com", false],
    ["C6", "https://evilgithub.com", false],
    ["C6", "https://github.com.evil.net", false]
  ])("[%s] *.github.com against %s is %s", (_id, url, allowed) => {
    expect(reaches(hosts("*.github.com"), url)).toBe(allowed)
  })

  it("[C7, C8, B25, N64] is compared without regard to case", () => {
    expect(reaches(hosts("api.github.com"), "https://API.GitHub.COM/")).toBe(true)
    expect(reaches(hosts("API.GitHub.com"), "https://api.github.com/")).toBe(true)
  })

  it("[C9, D10, N62] is compared without the trailing dot, when it lets in and when it leaves out", () => {
    expect(reaches(hosts("api.github.com"), "https://api.github.com./")).toBe(true)
    expect(reaches(hosts("*").without(hosts("evil.com")), "https://evil.com./")).toBe(false)
  })

  it("[N63] is compared in its ASCII form", () => {
    expect(reaches(hosts("*").without(hosts("bücher.example")), "http://xn--bcher-kva.example/")).toBe(false)
    expect(reaches(hosts("xn--bcher-kva.example"), "http://bücher.example/")).toBe(true)
  })

  it("[C12] says nothing about ports", () => {
    expect(reaches(hosts("example.com"), "https://example.com:8443/")).toBe(true)
  })

  it.each([
    ["C10", "*github.com", "is not a bare host name"],
    ["C10", "a.*.com", "is not a bare host name"],
    ["C11, N69", "*.", "is not a bare host name"],
    ["C11", "*.com", "covers a whole public suffix"],
    ["C11", "*.co.uk", "covers a whole public suffix"],
    ["C11", "*.github.io", "covers a whole public suffix"],
    ["C11", "*.kawasaki.jp", "covers a whole public suffix"],
    ["C11", "*.internal", "covers a whole public suffix"],
    ["C13", "example.com:8443", "is not a bare host name"],
    ["N71", "*.0.0.1", "is an odd spelling of an address"],
    ["N71", "*.127.0.0.1", "puts a wildcard over an address"],
    ["N30", "2130706433", "is an odd spelling of an address; write '127.0.0.1'"],
    ["N31", "0x7f000001", "is an odd spelling of an address; write '127.0.0.1'"],
    ["N35", "127。0。0。1", "is an odd spelling of an address; write '127.0.0.1'"],
    ["-", "https://a.com/x", "is not a bare host name"],
    ["-", "a.com/", "is not a bare host name"],
    ["-", "user@a.com", "is not a bare host name"],
    ["-", "a b.com", "is not a bare host name"],
    ["-", "", "is not a bare host name"],
    ["-", "a..b", "is not a well-formed host name"],
    ["-", "a.com..", "is not a well-formed host name"],
    ["-", `${"a".repeat(64)}.com`, "is not a well-formed host name"],
    ["-", "a.com\u0000", "is not a bare host name"],
    ["-", "%61.com", "is not a bare host name"]
  ])("[%s] %j is refused: %s", (_id, pattern, words) => {
    expect(refusal(pattern)).toMatch(/^HOST_INVALID: /)
    expect(refusal(pattern)).toContain(words)
  })

  it("[N71] with a wildcard never lets in an address", () => {
    expect(reaches(hosts("*.example.com"), "http://10.0.0.1/")).toBe(false)
  })
})

describe("a set of hosts", () => {
  it("[C15] that is empty lets in nothing", () => {
    expect(reaches(hosts(), "https://a.com")).toBe(false)
    expect(hosts().isEmpty).toBe(true)
  })

  it("[D4] met with everything is itself", () => {
    expect(hosts("*").meet(hosts("a.com", "*.b.com")).encode()).toEqual(["*.b.com", "a.com"])
  })

  it("[T05, T06, L5, L6] knows which wildcard is the wider", () => {
    expect(hosts("api.ok.com").includes(hosts("*.ok.com"))).toBe(false)
    expect(hosts("*.ok.com").includes(hosts("*.a.ok.com"))).toBe(true)
    expect(hosts("*.ok.com").includes(hosts("ok.com"))).toBe(false)
    expect(hosts("*").includes(hosts("*.ok.com", "ok.com"))).toBe(true)
  })

  it("lets the most specific rule decide, however deep they nest", () => {
    const set = hosts("*")
      .without(hosts("*.b.com"))
      .join([hosts("x.b.com", "*.y.b.com")])
    expect(
      ["a.com", "b.com", "z.b.com", "x.b.com", "y.b.com", "q.y.b.com"].map((host) => set.has(host))
    ).toEqual([true, true, false, true, false, true])
    expect(set.encode()).toEqual(["!*.b.com", "*", "*.y.b.com", "x.b.com"])
    expect(Either.getOrThrow(HostSets.decode(set.encode())).key).toBe(set.key)
  })

  it("drops what another pattern already says", () => {
    expect(hosts("a.ok.com", "*.ok.com", "b.a.ok.com", "*.a.ok.com").encode()).toEqual(["*.ok.com"])
  })

  it("refuses an exception to everything", () => {
    expect(Either.isLeft(HostSets.decode(["*", "!*"]))).toBe(true)
  })
})

describe("a request for a URL", () => {
  it.each([
    ["N82", "file:///etc/passwd"],
    ["N82", "data:text/plain,x"],
    ["N82", "ftp://a.com/"],
    ["N82", "ws://a.com/"],
    ["N82", "javascript:alert(1)"],
    ["E16, N05", "https://u:p@api.ok.com/"],
    ["N72", "https://api.ok.com@evil.com/"],
    ["-", "/relative"],
    ["-", "https://a..b/"],
    ["-", ""]
  ])("[%s] %s cannot be made", (_id, url) => {
    const made = Request.http("GET", url)
    expect(Either.isLeft(made) && made.left.code).toBe("URL_INVALID")
  })

  it("[N73] takes its host from the parser that will send it", () => {
    expect(hostOf("https://evil.com\\@api.ok.com/")).toBe("evil.com")
    expect(hostOf("https:/evil.com")).toBe("evil.com")
    expect(hostOf("https://0x7f.1/")).toBe("127.0.0.1")
  })

  it.each(["get\r\nX: y", "TRACE", "CONNECT", "", "QUERY"])(
    "[N78] with the method %j cannot be made",
    (method) => {
      const made = Request.http(method, "https://a.com/")
      expect(Either.isLeft(made) && made.left.code).toBe("METHOD_INVALID")
    }
  )

  it.each([
    ["GET", "network.get"],
    ["HEAD", "network.get"],
    ["OPTIONS", "network.get"],
    ["post", "network.post"],
    ["PUT", "network.put"],
    ["PATCH", "network.put"],
    ["DELETE", "network.delete"]
  ])("[J1, J2, J5] %s needs %s", (method, capability) => {
    expect(Either.getOrThrow(Request.http(method, "https://a.com/")).capability).toBe(capability)
  })
})

describe("a plain name", () => {
  it("is what a URL parser would give back, letter by letter", () => {
    const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,8}[a-z0-9])?$/)
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 5 }), (labels) => {
        const name = labels.join(".")
        const parsed = Host.parsePattern(name)
        const canonical = URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`).hostname : undefined
        if (Either.isRight(parsed)) {
          expect(parsed.right).toEqual({ _tag: "Exact", host: canonical })
        }
      }),
      { numRuns: times(1000) }
    )
  })
})

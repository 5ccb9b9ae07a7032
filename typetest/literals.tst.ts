// What a literal URL, ref, binary or path requires.
import { Effect, Schema } from "effect"
import { describe, expect, test } from "tstyche"
import { Files } from "../src/capabilities/files/Files.js"
import { Network } from "../src/capabilities/network/Network.js"
import type { Process } from "../src/capabilities/process/Process.js"
import { Secrets } from "../src/capabilities/secrets/Secrets.js"
import * as Tool from "../src/tools/Tool.js"

const base = { name: "t", description: "d", parameters: Schema.Struct({ x: Schema.String }) } as const

describe("urls", () => {
  test("the host, lower-cased, without port, path or final dot", () => {
    expect<Network.RequiredBy<"https://api.weather.gov/points/1">>().type.toBe<
      Network.Host<"api.weather.gov">
    >()
    expect<Network.RequiredBy<"https://api.weather.gov">>().type.toBe<Network.Host<"api.weather.gov">>()
    expect<Network.RequiredBy<"HTTP://API.Weather.gov:8443?x=1#y">>().type.toBe<
      Network.Host<"api.weather.gov">
    >()
    expect<Network.RequiredBy<"https://api.weather.gov./x">>().type.toBe<Network.Host<"api.weather.gov">>()
    expect<Network.RequiredBy<"https://a.com?to=/b.com/">>().type.toBe<Network.Host<"a.com">>()
    expect<Network.RequiredBy<"https://a.com#/b.com/">>().type.toBe<Network.Host<"a.com">>()
    expect<Network.RequiredBy<"http://[::1]:80/x">>().type.toBe<Network.Host<"[::1]">>()
    expect<Network.RequiredBy<"https://evil.com\\@api.weather.gov/">>().type.toBe<Network.Host<"evil.com">>()
  })

  test("a dynamic path leaves the host literal", () => {
    expect<Network.RequiredBy<`https://a.com/${number}/${string}?q=${string}`>>().type.toBe<
      Network.Host<"a.com">
    >()
    const root = "https://a.com"
    const x = "x" as string
    const call = Network.get(`${root}/points/${x}`)
    expect<Effect.Effect.Context<typeof call>>().type.toBe<Network.Host<"a.com">>()
  })

  test("a dynamic host is the category", () => {
    expect<Network.RequiredBy<string>>().type.toBe<Network>()
    expect<Network.RequiredBy<any>>().type.toBe<Network>()
    expect<Network.RequiredBy<`https://${string}/x`>>().type.toBe<Network>()
    expect<Network.RequiredBy<`https://${string}.github.com/x`>>().type.toBe<Network>()
    expect<Network.RequiredBy<`https://a.com${string}`>>().type.toBe<Network>()
    expect<Network.RequiredBy<`https://a.com${string}/x`>>().type.toBe<Network>()
    expect<Network.RequiredBy<`https://${string}@a.com/`>>().type.toBe<Network>()
    expect<Network.RequiredBy<`${string}://a.com/`>>().type.toBe<Network>()
    expect<Network.RequiredBy<`${string}/x`>>().type.toBe<Network>()
  })

  test("a union of literals is a union of hosts", () => {
    expect<Network.RequiredBy<"https://a.com/x" | "https://b.com">>().type.toBe<
      Network.Host<"a.com"> | Network.Host<"b.com">
    >()
    const host = "a.com" as "a.com" | "b.com"
    const call = Network.get(`https://${host}/x`)
    expect<Effect.Effect.Context<typeof call>>().type.toBe<Network.Host<"a.com"> | Network.Host<"b.com">>()
  })

  test("another scheme, none, or user info is always refused", () => {
    expect<Network.RequiredBy<"ftp://a.com/">>().type.toBe<Network.Refused<"ftp://a.com/">>()
    expect<Network.RequiredBy<"wss://a.com/">>().type.toBe<Network.Refused<"wss://a.com/">>()
    expect<Network.RequiredBy<"a.com/x">>().type.toBe<Network.Refused<"a.com/x">>()
    expect<Network.RequiredBy<"https://me:pw@a.com/">>().type.toBe<Network.Refused<"https://me:pw@a.com/">>()
    expect<Network.RequiredBy<"https:///x">>().type.toBe<Network.Refused<"https:///x">>()
    Tool.make({
      ...base,
      // @ts-expect-error '"url 'https://me@a.com/' is always refused: only http and https, without user info"'.
      capabilities: { network: { allowedHosts: ["*"] } },
      execute: () => Network.get("https://me@a.com/")
    })
  })

  test("a helper keeps the literal of its caller", () => {
    const helper = <const U extends string>(url: U) =>
      Effect.gen(function* () {
        yield* Secrets.get("Z")
        return yield* Network.get(url)
      })
    const call = helper("https://a.com/x")
    expect<Effect.Effect.Context<typeof call>>().type.toBe<Network.Host<"a.com"> | Secrets.Ref<"Z">>()
  })

  test("a wildcard covers neither its own name nor a longer word", () => {
    type Below = Network.Declared<"*.github.com">
    expect<Network.Host<"a.b.github.com">>().type.toBeAssignableTo<Below>()
    expect<Network.Host<"github.com">>().type.not.toBeAssignableTo<Below>()
    expect<Network.Host<"evilgithub.com">>().type.not.toBeAssignableTo<Below>()
    expect<Network>().type.not.toBeAssignableTo<Network.Host<string>>()
    expect<Network.Host<"a.com">>().type.not.toBeAssignableTo<Network>()
  })
})

describe("refs and binaries", () => {
  test("literal, union, dynamic", () => {
    expect<Secrets.RequiredBy<"A">>().type.toBe<Secrets.Ref<"A">>()
    expect<Secrets.RequiredBy<"A" | "B">>().type.toBe<Secrets.Ref<"A"> | Secrets.Ref<"B">>()
    expect<Secrets.RequiredBy<string>>().type.toBe<Secrets>()
    expect<Secrets.RequiredBy<any>>().type.toBe<Secrets>()
    expect<Secrets.RequiredBy<`A_${string}`>>().type.toBe<Secrets>()
    expect<Process.RequiredBy<"git" | "rg">>().type.toBe<Process.Binary<"git"> | Process.Binary<"rg">>()
    expect<Process.RequiredBy<string>>().type.toBe<Process>()
  })
})

describe("paths", () => {
  test("from the root or from home they are literal, otherwise the category", () => {
    expect<Files.ReadBy<"/etc/x">>().type.toBe<Files.Read<"/etc/x">>()
    expect<Files.ReadBy<"~/x">>().type.toBe<Files.Read<"~/x">>()
    expect<Files.WriteBy<`/ws/${string}`>>().type.toBe<Files.Write<`/ws/${string}`>>()
    expect<Files.ReadBy<"notes/a.md">>().type.toBe<Files>()
    expect<Files.ReadBy<string>>().type.toBe<Files>()
    expect<Files.ReadBy<`${string}/x`>>().type.toBe<Files>()
  })

  test("a root covers what lies under it, and no sibling", () => {
    expect<Files.Read<"/etc/passwd">>().type.toBeAssignableTo<Files.DeclaredRead<"/etc/">>()
    expect<Files.Read<"/etc">>().type.toBeAssignableTo<Files.DeclaredRead<"/etc">>()
    expect<Files.Read<"/etcx">>().type.not.toBeAssignableTo<Files.DeclaredRead<"/etc">>()
    expect<Files.Read<"/database">>().type.not.toBeAssignableTo<Files.DeclaredRead<"/data">>()
    expect<Files.Read<`/${string}`>>().type.not.toBeAssignableTo<Files.DeclaredRead<"/ws">>()
    expect<Files.Write<"/etc/x">>().type.not.toBeAssignableTo<Files.DeclaredRead<"/etc">>()
  })

  test("a segment '..' is always refused", () => {
    expect<Files.ReadBy<"../x">>().type.toBe<Files.Traversal<"../x">>()
    expect<Files.ReadBy<"/a/..b/c..">>().type.toBe<Files.Read<"/a/..b/c..">>()
    Tool.make({
      ...base,
      // @ts-expect-error is not assignable to type '"path '/etc/../root' contains '..' and is always refused"'.
      capabilities: { fs_reach: { read: ["/"] } },
      execute: () => Files.read("/etc/../root")
    })
  })
})

/** Sealed secrets in types: what is declared sealed is sent, and not read. */
import { Network, Secrets, Tool } from "bailiwick"
import { Effect, Schema } from "effect"
import { describe, expect, test } from "tstyche"

const parameters = Schema.Struct({})
const base = { name: "t", description: "d", parameters } as const

const sealed = {
  secrets: [{ ref: "KEY", hosts: ["api.example.com"], in: ["header:authorization"] }]
} as const

describe("a sealed secret", () => {
  test("is taken with Secrets.sealed, which needs it", () => {
    expect(Secrets.sealed("KEY")).type.toBe<
      Effect.Effect<string, import("bailiwick").SecretsError, Secrets.Seal<"KEY">>
    >()
    expect(Secrets.sealed("KEY" as string)).type.toBe<
      Effect.Effect<string, import("bailiwick").SecretsError, Secrets>
    >()
  })

  test("is declared with its hosts, beside those that are read", () => {
    Tool.make({
      ...base,
      capabilities: {
        network: { allowedHosts: ["api.example.com"] },
        secrets: [
          "OTHER",
          { ref: "KEY", hosts: ["api.example.com"] },
          { ref: "a/*", hosts: ["b.example"], in: ["body"] }
        ]
      },
      execute: () =>
        Effect.gen(function* () {
          yield* Secrets.get("OTHER")
          yield* Secrets.sealed("a/b", { as: "basic", user: "x" })
          const token = yield* Secrets.sealed("KEY")
          return yield* Network.get("https://api.example.com/", {
            headers: { authorization: `Bearer ${token}` }
          })
        })
    })
  })

  test("is not read", () => {
    expect(Tool.make).type.not.toBeCallableWith({
      ...base,
      capabilities: sealed,
      execute: () => Secrets.get("KEY")
    })
    Tool.make({
      ...base,
      // @ts-expect-error secret 'KEY' is sealed: take it with Secrets.sealed, or declare 'KEY' alone to read it
      capabilities: { secrets: [{ ref: "KEY", hosts: ["api.example.com"] }] },
      execute: () => Secrets.get("KEY")
    })
    Tool.make({
      ...base,
      // @ts-expect-error secret 'a/b' is sealed: take it with Secrets.sealed, or declare 'a/b' alone to read it
      capabilities: { secrets: [{ ref: "a/*", hosts: ["api.example.com"] }] },
      execute: () => Secrets.get("a/b")
    })
  })

  test("that is declared to be read, or not at all, is not sealed", () => {
    Tool.make({
      ...base,
      // @ts-expect-error secret 'KEY' is declared to be read: write { ref: 'KEY', hosts } to seal it
      capabilities: { secrets: ["KEY"] },
      execute: () => Secrets.sealed("KEY")
    })
    Tool.make({
      ...base,
      // @ts-expect-error capability not declared: secrets needs { ref: 'KEY', hosts }
      capabilities: {},
      execute: () => Secrets.sealed("KEY")
    })
  })

  test("may be declared both ways", () => {
    Tool.make({
      ...base,
      capabilities: { secrets: ["KEY", { ref: "KEY", hosts: ["api.example.com"] }] },
      execute: () => Effect.zipRight(Secrets.get("KEY"), Secrets.sealed("KEY"))
    })
  })

  test("has hosts and places that there are", () => {
    Tool.make({
      ...base,
      // @ts-expect-error secrets: 'https://api.example.com' is no host that a sealed secret may go to
      capabilities: { secrets: [{ ref: "KEY", hosts: ["https://api.example.com"] }] },
      execute: () => Secrets.sealed("KEY")
    })
    Tool.make({
      ...base,
      // @ts-expect-error secrets: '*' is no host that a sealed secret may go to
      capabilities: { secrets: [{ ref: "KEY", hosts: ["*"] }] },
      execute: () => Secrets.sealed("KEY")
    })
    Tool.make({
      ...base,
      // @ts-expect-error secrets: 'cookie' is no place, such as 'header:authorization', 'query:key', 'path' or 'body'
      capabilities: { secrets: [{ ref: "KEY", hosts: ["a.example"], in: ["cookie"] }] },
      execute: () => Secrets.sealed("KEY")
    })
    Tool.make({
      ...base,
      // @ts-expect-error unknown key 'places' in capability 'secrets': did you mean 'in'?
      capabilities: { secrets: [{ ref: "KEY", hosts: ["a.example"], places: ["body"] }] },
      execute: () => Secrets.sealed("KEY")
    })
    Tool.make({
      ...base,
      // @ts-expect-error Type '{ ref: string; }' is not assignable
      capabilities: { secrets: [{ ref: "KEY" }] },
      execute: () => Secrets.sealed("KEY")
    })
  })

  test("that nobody uses is told by Tool.exact", () => {
    Tool.exact({
      ...base,
      // @ts-expect-error declared but never used: secrets { ref: 'KEY' }
      capabilities: { secrets: [{ ref: "KEY", hosts: ["a.example"] }, "OTHER"] },
      execute: () => Secrets.get("OTHER")
    })
    Tool.exact({
      ...base,
      capabilities: { secrets: [{ ref: "KEY", hosts: ["a.example"] }, "OTHER"] },
      execute: () => Effect.zipRight(Secrets.sealed("KEY"), Secrets.get("OTHER"))
    })
  })

  test("is in what a mock supplies", () => {
    expect(Secrets.mock({})).type.toBeAssignableTo<
      import("effect").Layer.Layer<Secrets.Seal<"KEY"> | Secrets.Ref<"KEY"> | Secrets>
    >()
  })
})

import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Either, Layer } from "effect"
import { SecretsBackend } from "../../../src/capabilities/secrets/SecretsBackend.js"
import { SecretsError } from "../../../src/capabilities/secrets/SecretsOperations.js"
import * as NodeSecrets from "../../../src/layers/node/secrets/NodeSecrets.js"
import { parseDotEnv } from "../../../src/layers/node/secrets/parseDotEnv.js"
import { asking } from "./asking.js"

describe("NodeSecrets.layerEnvironment", () => {
  const ask = asking(["WEATHER_API_KEY", "providers/exa/*", "odd-name", "EMPTY", "toString", "MISSING"])
  const environment = {
    WEATHER_API_KEY: "a, b\n c ",
    PROVIDERS_EXA_KEY: "exa",
    PROVIDERS_EXA_EU_WEST: "eu",
    "odd-name": "odd",
    ODD_NAME: "other",
    EMPTY: "",
    UNDECLARED: "never"
  }

  it.effect("finds plain refs by their name, and paths in capitals", () =>
    Effect.gen(function* () {
      expect(yield* ask("WEATHER_API_KEY")).toBe("a, b\n c ")
      expect(yield* ask("providers/exa/key")).toBe("exa")
      expect(yield* ask("providers/exa/eu-west")).toBe("eu")
      expect(yield* ask("odd-name")).toBe("odd")
    }).pipe(Effect.provide(NodeSecrets.layerEnvironment({ environment })))
  )

  it.effect("F3: says what to set for a ref that was declared, and does not repeat one that was not", () =>
    Effect.gen(function* () {
      expect(yield* ask("MISSING")).toBe(
        "SECRET_NOT_FOUND: there is no secret MISSING; set MISSING in the environment"
      )
      expect(yield* ask("EMPTY")).toBe(
        "SECRET_NOT_FOUND: there is no secret EMPTY; set EMPTY in the environment"
      )
      expect(yield* ask("toString")).toContain("SECRET_NOT_FOUND")
      expect(yield* ask("providers/exa/a-value-by-mistake")).toBe(
        "SECRET_NOT_FOUND: there is no secret of that name in providers/exa/*; set its variable in the environment"
      )
      expect(yield* ask("UNDECLARED")).toBe(
        "SECRET_NOT_DECLARED: the requested secret is not in the tool's declared secrets"
      )
    }).pipe(Effect.provide(NodeSecrets.layerEnvironment({ environment })))
  )

  it.effect("with a prefix, reaches no other variable", () =>
    Effect.gen(function* () {
      expect(yield* ask("WEATHER_API_KEY")).toBe("prefixed")
      expect(yield* ask("odd-name")).toContain("SECRET_NOT_FOUND")
      expect(yield* ask("providers/exa/key")).toBe("prefixed too")
    }).pipe(
      Effect.provide(
        NodeSecrets.layerEnvironment({
          prefix: "AGENT_",
          environment: {
            ...environment,
            AGENT_WEATHER_API_KEY: "prefixed",
            AGENT_PROVIDERS_EXA_KEY: "prefixed too"
          }
        })
      )
    )
  )

  it.effect("keeps the environment as it was when the layer was made", () =>
    Effect.gen(function* () {
      const changing: Record<string, string | undefined> = { MISSING: "there", WEATHER_API_KEY: undefined }
      const context = yield* Layer.build(NodeSecrets.layerEnvironment({ environment: changing }))
      changing.MISSING = undefined
      changing.WEATHER_API_KEY = "planted"
      expect(yield* Effect.provide(ask("MISSING"), context)).toBe("there")
      expect(yield* Effect.provide(ask("WEATHER_API_KEY"), context)).toContain("SECRET_NOT_FOUND")
    }).pipe(Effect.scoped)
  )
})

describe("NodeSecrets.layerConfig", () => {
  const ask = asking(["a/b", "plain", "number", "a"])
  it.effect("finds a path where it is nested", () =>
    Effect.gen(function* () {
      expect(yield* ask("a/b")).toBe("nested")
      expect(yield* ask("plain")).toBe("x")
      expect(yield* ask("number")).toBe("SECRET_NOT_FOUND: there is no secret number; configure number")
    }).pipe(
      Effect.provide(NodeSecrets.layerConfig(ConfigProvider.fromJson({ a: { b: "nested" }, plain: "x" })))
    )
  )
})

describe("NodeSecrets.layerFirstOf", () => {
  const ask = asking(["A", "B", "C"])
  const env = (environment: Record<string, string>) => NodeSecrets.layerEnvironment({ environment })

  it.effect("asks one after the other, and says every remedy", () =>
    Effect.gen(function* () {
      expect(yield* ask("A")).toBe("first")
      expect(yield* ask("B")).toBe("second")
      expect(yield* ask("C")).toBe(
        "SECRET_NOT_FOUND: there is no secret C; set C in the environment, or configure C"
      )
    }).pipe(
      Effect.provide(
        NodeSecrets.layerFirstOf(
          env({ A: "first" }),
          NodeSecrets.layerConfig(
            ConfigProvider.fromMap(
              new Map([
                ["A", "x"],
                ["B", "second"]
              ])
            )
          )
        )
      )
    )
  )

  it.effect("does not go on after a failure", () =>
    Effect.gen(function* () {
      expect(yield* ask("A")).toBe("SECRETS_FAILED: the vault is sealed")
    }).pipe(
      Effect.provide(
        NodeSecrets.layerFirstOf(
          Layer.succeed(SecretsBackend, {
            get: () => new SecretsError({ code: "SECRETS_FAILED", detail: "the vault is sealed" })
          }),
          env({ A: "fallback" })
        )
      )
    )
  )

  it.effect("has nothing where there is nothing", () =>
    Effect.gen(function* () {
      expect(yield* ask("A")).toContain("SECRET_NOT_FOUND")
    }).pipe(Effect.provide(NodeSecrets.layerFirstOf()))
  )
})

describe("a .env file", () => {
  const parsed = (text: string) =>
    Either.match(parseDotEnv(text), {
      onLeft: ({ detail, line }) => `${line}: ${detail}`,
      onRight: (variables) => Object.fromEntries(variables)
    })

  it("is names and values, with comments, quotes and export", () => {
    expect(
      parsed(
        [
          "\uFEFF# a comment",
          "",
          "PLAIN=value # comment",
          "export EXPORTED = spaced value  ",
          "HASH=a#b",
          "EMPTY=",
          "COMMENTED= # nothing",
          "SINGLE='lit\\n $HOME #x' # after",
          'DOUBLE="a\\n\\"b\\" \\$c \\\\"',
          'MULTI="-----BEGIN KEY-----',
          "abc # not a comment",
          '-----END KEY-----"',
          "DOLLAR=$HOME$(id)",
          "last=1"
        ].join("\r\n")
      )
    ).toEqual({
      PLAIN: "value",
      EXPORTED: "spaced value",
      HASH: "a#b",
      EMPTY: "",
      COMMENTED: "",
      SINGLE: "lit\\n $HOME #x",
      DOUBLE: 'a\n"b" $c \\',
      MULTI: "-----BEGIN KEY-----\nabc # not a comment\n-----END KEY-----",
      // Neither is looked up, and neither is run.
      DOLLAR: "$HOME$(id)",
      last: "1"
    })
  })

  it("is refused where it is not understood, by line and without a word of it", () => {
    const refusals: Readonly<Record<string, string>> = {
      "A=1\nhunter2": "2: expected NAME=value, a comment or nothing",
      "1A=hunter2": "1: expected NAME=value, a comment or nothing",
      "A B=hunter2": "1: expected NAME=value, a comment or nothing",
      "A=hunter2\n\nA=hunter3": "3: A is set twice; keep one",
      'A="hunter2': "1: a double quote is not closed",
      "A='hunter2\n'": "1: a single quote is not closed on its line",
      'A="hunter2" hunter3': "1: something follows the closing quote",
      'A="\\q"': '1: a backslash in double quotes stands before one of n r t \\ " $; write \\\\ for itself',
      "A=hunt'er2": "1: a quote stands inside of a bare value; quote all of it",
      "A=`hunter2`": "1: back quotes are not supported; use double quotes",
      "A=#hunter2": "1: a value that begins with # is a comment to some; quote it",
      "A=hunter2\0": "1: a value holds a NUL character"
    }
    for (const [text, refusal] of Object.entries(refusals)) {
      expect(parsed(text)).toBe(refusal)
      expect(refusal).not.toContain("hunter")
    }
  })
})

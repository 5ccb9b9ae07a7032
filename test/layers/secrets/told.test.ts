/**
 * The threat: a message tells the model where secrets are kept, so that it knows what to read next. The operator's log
 * may know.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { SecretsBackend } from "../../../src/capabilities/secrets/SecretsBackend.js"
import { SecretsError } from "../../../src/capabilities/secrets/SecretsOperations.js"
import * as NodeSecrets from "../../../src/layers/node/secrets/NodeSecrets.js"
import { listening, scratch, toldTo } from "./asking.js"

const REFS = ["MISSING", "group/*", "..odd/*"]

/** What the tool is told, and what the operator hears. */
const both = (ref: string, layer: Layer.Layer<SecretsBackend>) => {
  const { heard, layer: logger } = listening()
  return Effect.map(toldTo(REFS)(ref).pipe(Effect.provide(layer), Effect.provide(logger)), (told) => ({
    told,
    heard: heard.join("\n")
  }))
}

const NOT_FOUND =
  "SECRET_NOT_FOUND: there is no secret MISSING; ask the operator to configure it: the log says where it was looked for"

const failing = (code: SecretsError["code"]) =>
  Layer.succeed(
    SecretsBackend,
    SecretsBackend.fromOperations({
      get: () => new SecretsError({ code, detail: "see https://vault.internal:8200/v1/kv" })
    })
  )

describe("a tool", () => {
  it.scoped("is not told where a secret was looked for, and the log is", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const file = join(directory, ".env")
      writeFileSync(file, "A=1\n", { mode: 0o600 })
      const sources = [
        [NodeSecrets.layerEnvironment({ prefix: "AGENT_", environment: {} }), "AGENT_MISSING"],
        [NodeSecrets.layerDotEnv({ file }), file],
        [NodeSecrets.layerDirectory({ directory }), directory],
        [NodeSecrets.layerConfig(ConfigProvider.fromMap(new Map())), "configure MISSING"],
        [failing("SECRET_NOT_FOUND"), "vault.internal"]
      ] as const
      for (const [layer, place] of sources) {
        const { heard, told } = yield* both("MISSING", layer)
        expect(told).toBe(NOT_FOUND)
        expect(heard).toContain(place)
      }
      const all = yield* both("MISSING", NodeSecrets.layerFirstOf(...sources.map(([layer]) => layer)))
      expect(all.told).toBe(NOT_FOUND)
      for (const [, place] of sources) expect(all.heard).toContain(place)
    })
  )

  it.scoped("is not told why a source fails, and the log is", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const file = join(directory, "none", ".env")
      mkdirSync(join(directory, "MISSING"))
      const failed =
        "SECRETS_FAILED: the secret MISSING could not be read; ask the operator to mend it: the log says why"
      for (const [layer, why] of [
        [NodeSecrets.layerDotEnv({ file }), "the file of variables is not there"],
        [NodeSecrets.layerDirectory({ directory }), "the secret is not a regular file"],
        [NodeSecrets.layerDirectory({ directory: join(directory, "none") }), "a directory that is not there"],
        [failing("SECRETS_FAILED"), "vault.internal"]
      ] as const) {
        const { heard, told } = yield* both("MISSING", layer)
        expect(told).toBe(failed)
        expect(heard).toContain(why)
      }
    })
  )

  it.scoped("is not told what a source does not take, or why one gives nothing", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      const odd = yield* both("..odd/x", NodeSecrets.layerDirectory({ directory }))
      expect(odd.told).toMatch(/^SECRET_REF_INVALID: no secret of that name in \.\.odd\/\* can be kept /)
      expect(odd.heard).toContain("begins with a dot")
      for (const code of ["SECRET_REF_INVALID", "SECRET_NOT_DECLARED"] as const) {
        const { heard, told } = yield* both("MISSING", failing(code))
        expect(told).not.toContain("vault")
        expect(told).toContain(`${code}: `)
        expect(heard).toContain("vault.internal")
      }
    })
  )

  it.scoped("is not told back what it passed for a name", () =>
    Effect.gen(function* () {
      const { heard, told } = yield* both("group/s3cr3t-value", failing("SECRET_NOT_FOUND"))
      expect(told).toContain("there is no secret of that name in group/*")
      expect(told + heard).not.toContain("s3cr3t")
    })
  )
})

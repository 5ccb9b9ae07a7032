/** One contract, every backend of secrets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { Secrets } from "../../../src/capabilities/secrets/Secrets.js"
import { SecretsBackend } from "../../../src/capabilities/secrets/SecretsBackend.js"
import * as NodeSecrets from "../../../src/layers/node/secrets/NodeSecrets.js"
import * as SecretsContract from "../../../src/testing/contracts/SecretsContract.js"
import { holds } from "../contractHolds.js"

const { held } = SecretsContract

const root = mkdtempSync(join(tmpdir(), "bailiwick-secrets-contract-"))

afterAll(() => rmSync(root, { recursive: true, force: true }))

const cases = SecretsContract.cases()

/** As the layers spell a ref that is a path. */
const variable = (ref: string) => (ref.includes("/") ? ref.toUpperCase().replace(/[^A-Z0-9_]/g, "_") : ref)

const variablesOf = (secrets: Iterable<readonly [string, string]>) =>
  Object.fromEntries([...secrets].map(([ref, value]) => [variable(ref), value]))

const environment = NodeSecrets.layerEnvironment({ environment: variablesOf(held) })

holds("the environment", environment, cases)

holds(
  "the environment, with a prefix",
  NodeSecrets.layerEnvironment({
    prefix: "AGENT_",
    environment: Object.fromEntries(
      Object.entries(variablesOf(held)).flatMap(([name, value]) => [
        [`AGENT_${name}`, value],
        [name, "of nobody"]
      ])
    )
  }),
  cases
)

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const quoted = (value: string) =>
  `"${value.replace(/[\\"$]/g, (found) => `\\${found}`).replace(/[\n\r\t]/g, (found) => escapes[found] ?? "")}"`

/** A `.env` file whose secrets can be changed. */
const dotEnv = () => {
  const file = join(root, ".env")
  const now = new Map(held)
  const write = () => {
    const lines = Object.entries(variablesOf(now)).map(([name, value]) => `${name}=${quoted(value)}\n`)
    writeFileSync(file, lines.join(""), { mode: 0o600 })
  }
  write()
  const change = (ref: string, value: string | undefined) =>
    Effect.sync(() => {
      if (value === undefined) now.delete(ref)
      else now.set(ref, value)
      write()
    })
  return { layer: NodeSecrets.layerDotEnv({ file }), change }
}

const { change: changeVariable, layer: variables } = dotEnv()

holds("a .env file", variables, SecretsContract.cases({ change: changeVariable }))

/** A directory with a file for each. */
const files = (name: string, secrets: Iterable<readonly [string, string]>, ending: string) => {
  const directory = join(root, name)
  const write = (ref: string, value: string) => {
    mkdirSync(dirname(join(directory, ref)), { recursive: true })
    writeFileSync(join(directory, ref), value + ending)
  }
  for (const [ref, value] of secrets) write(ref, value)
  const change = (ref: string, value: string | undefined) =>
    Effect.sync(() => (value === undefined ? rmSync(join(directory, ref)) : write(ref, value)))
  return { layer: NodeSecrets.layerDirectory({ directory }), change }
}

for (const [name, ending] of [
  ["plain", ""],
  ["newline", "\n"]
] as const) {
  const { change, layer } = files(name, held, ending)
  holds(`a directory, ${name}`, layer, SecretsContract.cases({ change }))
}

const configured = (secrets: Iterable<readonly [string, string]>) =>
  NodeSecrets.layerConfig(ConfigProvider.fromMap(new Map(secrets), { pathDelim: "/" }))

holds("a provider of configuration", configured(held), cases)

/** Every third of them in each place, and none where the next is. */
const part = (rest: number) => [...held].filter((_, index) => index % 3 === rest)

holds(
  "the first of several",
  NodeSecrets.layerFirstOf(
    NodeSecrets.layerEnvironment({ environment: variablesOf(part(0)) }),
    files("third", part(1), "").layer,
    configured(part(2))
  ),
  cases
)

// A mock holds what a test gives it, be it empty, and names what a test forgot.
holds(
  "a mock behind the door",
  Layer.sync(SecretsBackend, () => SecretsBackend.fromOperations(Secrets.memory(held))),
  cases.filter(({ about }) => about === "secrets")
)

import assert from "node:assert/strict"
import { test } from "node:test"
import { Files, Network, Secrets, Storage, Tool } from "bailiwick"
import { TestNetwork } from "bailiwick/testing"
import * as Effect from "effect/Effect"
import { countWords, outline, tools, translate } from "../index.js"

test("acme_count_words counts words and lines", async () => {
  const counts = await Effect.runPromise(Tool.run(countWords, { text: "one two\nthree\n" }))
  assert.deepEqual(counts, { words: 3, lines: 2 })
})

test("acme_outline finds headings, and none in code", async () => {
  const files = Files.mock({ "/a.md": "# One\n\n```sh\n# no\n```\n\n## Two ##\n" })
  const headings = await Effect.runPromise(Tool.run(outline, { path: "/a.md" }).pipe(Effect.provide(files)))
  assert.deepEqual(headings, [
    { level: 1, title: "One" },
    { level: 2, title: "Two" }
  ])
})

test("acme_translate asks once for the same text, with the key", async () => {
  const network = TestNetwork.recording(() => ({ json: { text: "Hallo" } }))
  const call = Tool.run(translate, { text: "Hello", to: "de" })
  const secrets = Secrets.mock({ "acme/key": "only-a-mock" })
  const texts = await Effect.runPromise(
    Effect.all([call, call]).pipe(Effect.provide([network.layer, secrets, Storage.mock()]))
  )
  assert.deepEqual(texts, ["Hallo", "Hallo"])
  const calls = await Effect.runPromise(network.calls)
  assert.equal(calls.length, 1)
  assert.match(JSON.stringify(calls), /Bearer only-a-mock/)
})

test("acme_translate fails when the service does", async () => {
  const failing = Network.mock(() => ({ status: 500, body: "" }))
  const call = Tool.run(translate, { text: "Hello", to: "fr" })
  const error = await Effect.runPromise(
    Effect.flip(call).pipe(Effect.provide([failing, Secrets.mock({ "acme/key": "x" }), Storage.mock()]))
  )
  assert.match(error.message, /500/)
})

test("every tool has the prefix of the package, so that it takes no name of a host", () => {
  for (const { name } of tools) assert.match(name, /^acme_/)
})

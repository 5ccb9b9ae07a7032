/** A program of the team's own: the tools of the package are those of a plugin here, with a name of the host's choice. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { tools } from "@acme/text-tools"
import { Builtin, Personality, Registry, Turn } from "bailiwick"
import { NodeBackends } from "bailiwick/node"
import * as Effect from "effect/Effect"

const file = fileURLToPath(new URL("personality.yaml", import.meta.url))

const workdir = fileURLToPath(new URL("..", import.meta.url))

const read = () =>
  Personality.parseSync(
    { config: { file, text: readFileSync(file, "utf8") } },
    { workdir, workspace: workdir }
  )

export const main = Effect.gen(function* () {
  /** @type {Registry.Registry} */
  const registry = Registry.make(Builtin.readFile, Builtin.listFiles)
  for (const tool of tools) yield* registry.register(tool, { plugin: "acme" })
  const turn = Turn.make({ session: "host", policy: Personality.policy(read()), workdir })
  const menu = yield* registry.menu(turn)
  const results = yield* registry.execute(turn, [
    { id: "1", name: "acme_outline", args: { path: "drafts/hello.md" } },
    { id: "2", name: "list_files", args: { path: "drafts" } }
  ])
  return { menu: menu.map(({ name }) => name), results: results.map(({ result }) => result) }
}).pipe(
  Effect.scoped,
  Effect.provide(NodeBackends.layer({ storage: { directory: `${workdir}/.bailiwick/storage` } }))
)

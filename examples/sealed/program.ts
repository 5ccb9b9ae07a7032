/** Calls of the tools, over a network in memory: what the servers see, and what the tools see. */
import { createHmac } from "node:crypto"
import { Network, NetworkBackend, Personality, Registry, Secrets, SecretsBackend, Turn } from "bailiwick"
import { Console, Effect, Layer, Logger } from "effect"
import { announce, careless, listInvoices } from "./tools.js"

const values = { BILLING_KEY: "bk_live_5f1c9a7e", HOOK_KEY: "hook-key-8d21" }

/** The servers of the API and of the hook: they know their keys. */
const servers = Network.memory((url, { body, headers, method }) => {
  const { hostname, pathname } = new URL(url)
  if (hostname === "hooks.team.example") {
    const text = `${method}\n${pathname}\n${new TextDecoder().decode(body)}`
    const isGenuine =
      headers["x-signature"] === createHmac("sha256", values.HOOK_KEY).update(text).digest("hex")
    return isGenuine ? "thanks" : { status: 401 }
  }
  if (pathname === "/debug") return { text: `you sent ${headers.authorization}` }
  return headers.authorization === `Bearer ${values.BILLING_KEY}`
    ? { json: [{ id: "inv-1", cents: 4200 }] }
    : { status: 401 }
})

/** The operator says that secrets are only sent sealed, whatever a tool declares. */
const personality = Personality.parseSync(
  {
    config: {
      file: "config.yaml",
      text: 'id: billing\nsafety: { network: { allow: ["*"] } }\nsecrets: { allow: [BILLING_KEY, HOOK_KEY], sealed: true }\n'
    }
  },
  { workdir: "/work" }
)

const backends = Layer.mergeAll(
  Layer.succeed(NetworkBackend, NetworkBackend.fromOperations(servers)),
  Layer.succeed(SecretsBackend, SecretsBackend.fromOperations(Secrets.memory(values)))
)

export const program = Effect.gen(function* () {
  const turn = Turn.make({ session: "s1", workdir: "/work", policy: Personality.policy(personality) })
  const registry = Registry.make(listInvoices, announce, careless)
  const results = yield* registry.execute(turn, [
    { id: "1", name: "list_invoices", args: {} },
    { id: "2", name: "announce", args: { id: "inv-1" } },
    { id: "3", name: "careless", args: { url: "https://collector.example/" } },
    { id: "4", name: "careless", args: { url: "https://api.billing.example/debug" } }
  ])
  for (const { name, result } of results) {
    yield* Console.log(`${name}: ${result.ok ? JSON.stringify(result.value) : result.error}`)
  }
}).pipe(Effect.provide(backends), Effect.provide(Logger.remove(Logger.defaultLogger)))

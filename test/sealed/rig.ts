/** A tool that holds a sealed key and sends it where a test says, and a server that answers as a test says. */
import { Authority, Network, Policy, Registry, Secrets, Tool, Turn } from "bailiwick"
import { Clock, Context, Effect, Logger, Redacted, Schema, Stream } from "effect"
import { NetworkBackend } from "../../src/capabilities/network/NetworkBackend.js"
import { SecretsBackend } from "../../src/capabilities/secrets/SecretsBackend.js"

const quiet = Logger.remove(Logger.defaultLogger)

export const VALUE = "s3cr3t/Value+42=="

export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly redirects: string | undefined
}

export type Answering = (sent: Sent) => Network.MockResponse

const Args = Schema.Struct({
  url: Schema.String,
  method: Schema.optional(Schema.String),
  /** `@` is the token. */
  headers: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  body: Schema.optional(Schema.String),
  as: Schema.optional(Schema.Unknown),
  how: Schema.optional(Schema.Literal("request", "open", "stream", "get", "redacted")),
  ref: Schema.optional(Schema.String)
})

export const KEY = {
  ref: "KEY",
  hosts: ["api.example.com"],
  in: ["header:authorization"]
} as const

/** Sends a request; `@` stands for the token. What it saw is in `seen`, before anybody scrubs its result. */
export const sender = (
  secrets: ReadonlyArray<unknown> = [KEY],
  name = "sender",
  seen: Array<unknown> = []
): Tool.Any =>
  Tool.make({
    name,
    description: "sends",
    parameters: Args,
    capabilities: { network: { allowedHosts: ["*"] }, secrets: secrets as ReadonlyArray<typeof KEY> },
    execute: ({ as, body, headers = {}, how = "request", method = "GET", ref = "KEY", url }) =>
      Effect.gen(function* () {
        const service = yield* Secrets
        const token = yield* service.sealed(ref as "KEY", as as never)
        const filled = (text: string) => text.replaceAll("@", token)
        const sent = {
          headers: Object.fromEntries(
            Object.entries(headers).map(([header, value]) => [
              filled(header),
              how === "redacted" ? Redacted.make(filled(value)) : filled(value)
            ])
          ),
          ...(body === undefined ? {} : { body: filled(body) })
        }
        const to = filled(url)
        const kept = <A>(answer: A): A => {
          seen.push(answer)
          return answer
        }
        if (how === "get") return kept({ text: yield* Network.get(to, sent) })
        if (how === "stream") {
          const chunks = yield* Stream.runCollect(Stream.decodeText(Network.stream(to, { ...sent, method })))
          return kept({ text: [...chunks].join("") })
        }
        if (how === "open") {
          const answer = yield* Network.open(method, to, sent)
          const { headers: head, setCookies, status, url: at } = answer
          return kept({ head, setCookies, status, url: at, text: yield* answer.text })
        }
        const answer = yield* Network.request(method, to, sent)
        return kept({ ...answer, body: [], text: Buffer.from(answer.body).toString("latin1") })
      })
  }) as Tool.Any

const everything = Policy.make({ authority: Authority.everything })

export const policy = (encoded: unknown): Policy.Policy =>
  Policy.make({ authority: Schema.decodeUnknownSync(Authority.FromJson)(encoded) })

/** A network in memory, and secrets. */
export const rig = (
  answer: Answering = () => "ok",
  secrets: Readonly<Record<string, string>> = { KEY: VALUE, OTHER: "another-secret" }
) => {
  const sent: Array<Sent> = []
  const network = Network.memory((_, request) => {
    const one = {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: new TextDecoder().decode(request.body ?? new Uint8Array(0)),
      redirects: request.redirects
    }
    sent.push(one)
    return answer(one)
  })
  const backends = Context.empty().pipe(
    Context.add(NetworkBackend, NetworkBackend.fromOperations(network)),
    Context.add(SecretsBackend, SecretsBackend.fromOperations(Secrets.memory(secrets)))
  )
  const run = (
    tool: Tool.Any,
    args: typeof Args.Encoded,
    {
      policy: held = everything,
      turn = Turn.make({ session: "s1", workdir: "/work", policy: held }),
      at = Date.UTC(2013, 4, 24)
    }: { readonly policy?: Policy.Policy; readonly turn?: Turn.Turn; readonly at?: number } = {}
  ) =>
    Effect.runPromise(
      Effect.withClock(
        Effect.map(
          Effect.provide(
            Registry.make(tool).execute(turn, [{ id: "c1", name: tool.name, args }]) as Effect.Effect<
              ReadonlyArray<{
                readonly result: { readonly ok: boolean; readonly error?: string; readonly value?: unknown }
              }>
            >,
            backends
          ).pipe(Effect.provide(quiet)),
          ([first]) => ({ error: "", value: undefined, ...first?.result })
        ),
        { ...Clock.make(), currentTimeMillis: Effect.succeed(at), unsafeCurrentTimeMillis: () => at }
      )
    )
  return { sent, run, backends }
}

/** What isolated tools are run in: the toolkit of a module, and a registry over backends that record. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  Network,
  NetworkBackend,
  Personality,
  type Progress,
  Secrets,
  SecretsBackend,
  Storage,
  StorageBackend,
  Turn
} from "bailiwick"
import { Effect, Layer, Stream } from "effect"
import { afterAll } from "vitest"

export const SEALED = "s3aled-value-456"

export const at = (name: string): URL => new URL(`./modules/${name}.ts`, import.meta.url)

/** Where bundles are kept, for one file of tests. */
export const directory = (): string => {
  const made = mkdtempSync(join(tmpdir(), "isolated-"))
  afterAll(() => rmSync(made, { recursive: true, force: true }))
  return made
}

export interface Heard {
  readonly urls: Array<string>
  /** What was sent as authorization. */
  readonly sent: Array<string>
  /** Pieces of a stream that were made. */
  pieces: number
  interrupted: number
  closed: number
}

export const hearing = (): Heard => ({ urls: [], sent: [], pieces: 0, interrupted: 0, closed: 0 })

const PIECE = new Uint8Array(65_536)

const network = (heard: Heard): Network.Operations => {
  const flow = Stream.range(1, 1000).pipe(
    Stream.rechunk(1),
    Stream.map(() => {
      heard.pieces++
      return PIECE
    }),
    Stream.ensuring(Effect.sync(() => heard.closed++))
  )
  return Network.memory((url, { headers }) => {
    heard.urls.push(url)
    if (url.endsWith("/echo")) {
      heard.sent.push(headers.authorization ?? "")
      return `heard ${headers.authorization}`
    }
    if (url.endsWith("/never")) {
      return Effect.onInterrupt(Effect.never, () => Effect.sync(() => heard.interrupted++))
    }
    return url.endsWith("/flow") ? { status: 200, body: flow } : "hello"
  })
}

export const world = (heard: Heard) =>
  Layer.mergeAll(
    Layer.succeed(NetworkBackend, NetworkBackend.fromOperations(network(heard))),
    Layer.succeed(
      SecretsBackend,
      SecretsBackend.fromOperations(Secrets.memory({ KEY: "s3cr3t-value-123", SEALED }))
    ),
    Layer.sync(StorageBackend, () => StorageBackend.fromOperations(Storage.memory({})))
  )

const CONFIG = `id: tester
safety: { network: { allow: ["*"] } }
secrets: { allow: [KEY, SEALED] }
storage: { scopes: [session] }
`

export const turnOf = (more = "", session = "s1"): Turn.Turn => {
  const parsed = Personality.parseSync(
    { config: { file: "config.yaml", text: `${CONFIG}${more}` } },
    { workdir: "/work" }
  )
  return Turn.make({ session, policy: Personality.policy(parsed), workdir: "/work" })
}

export type Reported = Parameters<Progress.Service["report"]>[0]

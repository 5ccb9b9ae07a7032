/** Servers behind a gateway, over real backends, with a turn to call their tools in. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Logger, Schema } from "effect"
import { root } from "../../scripts/lib/project.js"
import { Secrets } from "../../src/capabilities/secrets/Secrets.js"
import { SecretsBackend } from "../../src/capabilities/secrets/SecretsBackend.js"
import * as NodeNetwork from "../../src/layers/node/network/NodeNetwork.js"
import * as NodeProcess from "../../src/layers/node/process/NodeProcess.js"
import { McpGateway } from "../../src/mcp/gateway/McpGateway.js"
import type { PinnedTool } from "../../src/mcp/gateway/PinnedTool.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Policy from "../../src/policy/Policy.js"
import type { Local, Server } from "../../src/policy/server/Server.js"
import * as Registry from "../../src/registry/Registry.js"
import * as Turn from "../../src/registry/Turn.js"
import { canHold } from "../layers/process/harness.js"

export { canHold }

const decode = Schema.decodeSync(Authority.FromJson)

export const authority = (encoded: Authority.Encoded): Authority.Authority => decode(encoded)

export const directory = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "gateway-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const local = (name: string, requires: Authority.Encoded | undefined, transport: Partial<Local>): Server => ({
  name,
  requires: requires === undefined ? undefined : authority(requires),
  specs: [],
  transport: { _tag: "Local", command: "node", args: [], env: [], code: [], ...transport }
})

/** The server of the tests, in one of its modes. */
export const scripted = (
  name: string,
  mode: string,
  requires: Authority.Encoded | undefined = {},
  more: Partial<Local> & { readonly words?: ReadonlyArray<string> } = {}
): Server => {
  const { words = [], ...transport } = more
  return local(name, requires, {
    args: [join(root, "test/mcp/servers/scripted.mjs"), mode, ...words],
    ...transport
  })
}

/** A server that asks its client what it is told to. */
export const inquiring = (requires: Authority.Encoded = {}, transport: Partial<Local> = {}): Server =>
  local("asker", requires, {
    args: [join(root, "test/mcp/servers/inquiring.mjs")],
    ...transport
  })

/** A server that others wrote. */
export const reference = (
  which: "everything" | "filesystem" | "memory",
  requires: Authority.Encoded,
  args: ReadonlyArray<string> = []
): Server =>
  local(which, requires, {
    args: [`node_modules/@modelcontextprotocol/server-${which}/dist/index.js`, ...args],
    code: ["node_modules"],
    root
  })

export interface World {
  readonly gateway: McpGateway.Service
  readonly registry: Registry.Registry
  /** Calls a tool by the name that it has in the registry. */
  readonly call: (name: string, args?: object, given?: Partial<Turn.Options>) => ReturnType<typeof called>
  /** The same in a turn that the test has made. */
  readonly callIn: (turn: Turn.Turn, name: string, args?: object) => ReturnType<typeof called>
  readonly turn: (given?: Partial<Turn.Options>) => Turn.Turn
  readonly backends: Context.Context<never>
}

const called = (registry: Registry.Registry, turn: Turn.Turn, name: string, args: object) =>
  Effect.map(registry.execute(turn, [{ id: "c1", name, args }]), ([one]) => {
    if (one === undefined) throw new Error("no result")
    return { result: one.result, events: turn.transcript.events }
  })

const quiet = Logger.remove(Logger.defaultLogger)

export interface Options extends Partial<McpGateway.Options> {
  readonly held?: Authority.Authority
  readonly secrets?: Readonly<Record<string, string>>
  readonly network?: NodeNetwork.Options
  readonly process?: NodeProcess.Options
}

const backendsOf = ({ network = {}, process: given = {}, secrets = {} }: Options) =>
  Layer.build(
    Layer.mergeAll(
      NodeProcess.layer({ ...given, sandbox: { network, ...given.sandbox } }),
      NodeNetwork.layer(network),
      Layer.succeed(SecretsBackend, SecretsBackend.fromOperations(Secrets.memory(secrets)))
    )
  )

const gatewayOf = (options: McpGateway.Options, backends: Context.Context<never>) =>
  Effect.map(Effect.provide(Layer.build(McpGateway.layer(options)), backends), (context) =>
    Context.get(context, McpGateway)
  )

/** The servers with what they offer at first pinned, and a registry with their tools. */
export const world = (servers: ReadonlyArray<Server>, options: Options = {}) =>
  Effect.gen(function* () {
    const backends = (yield* backendsOf(options)) as Context.Context<never>
    const { held = Authority.everything, pinned } = options
    const sandbox = { mode: canHold ? undefined : ("off" as const), limits: {} }
    const base = { sandbox, ...options, servers }
    const first = yield* gatewayOf({ ...base, pinned: new Map() }, backends)
    const accepted = new Map<string, ReadonlyArray<PinnedTool>>(pinned ?? [])
    for (const { name } of servers) {
      if (!accepted.has(name)) accepted.set(name, yield* first.list(name))
    }
    const gateway = yield* gatewayOf({ ...base, pinned: accepted }, backends)
    const registry: Registry.Registry = Registry.make()
    yield* gateway.register(registry)
    const workdir = yield* directory
    mkdirSync(join(workdir, "work"))
    const policy = Policy.make({ authority: held, sandbox: canHold ? undefined : "off" })
    const turn = (given: Partial<Turn.Options> = {}) =>
      Turn.make({ session: "s1", policy, workdir, ...given })
    const callIn: World["callIn"] = (made, name, args = {}) =>
      Effect.provide(called(registry, made, name, args), Context.merge(backends, Context.empty())).pipe(
        Effect.provide(quiet)
      )
    return {
      gateway,
      registry,
      backends,
      turn,
      callIn,
      call: (name, args = {}, given = {}) => callIn(turn(given), name, args)
    } satisfies World
  })

/** The value of a call that must have one. */
export const valueOf = ({ result }: Effect.Effect.Success<ReturnType<World["call"]>>): unknown => {
  if (!result.ok) throw new Error(`${result.code}: ${result.error}`)
  return result.value
}

/** A tool that is pinned although nobody listed it. */
export const pinnedTool = (name: string, more: Partial<PinnedTool> = {}): PinnedTool => ({
  name,
  description: `The tool ${name}`,
  parameters: { type: "object", properties: {} },
  readOnly: false,
  destructive: true,
  idempotent: false,
  openWorld: true,
  ...more
})

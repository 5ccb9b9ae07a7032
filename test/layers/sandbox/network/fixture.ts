/** The proxy of a child on a port of loopback, for clients that say what no program would. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { Effect, Either, Schema } from "effect"
import type { Resolve } from "../../../../src/layers/node/network/Vetting.js"
import { defaults } from "../../../../src/layers/node/sandbox/ChildNetwork.js"
import * as ChildProxy from "../../../../src/layers/node/sandbox/proxy/ChildProxy.js"
import type { Destination } from "../../../../src/layers/node/sandbox/proxy/targets.js"
import { ask, type Holder, holder } from "../../../../src/policy/gate/Asking.js"
import * as Authority from "../../../../src/policy/lattice/Authority.js"
import type { Denial } from "../../../../src/policy/lattice/Denial.js"
import * as Request from "../../../../src/policy/lattice/Request.js"
import { names, recorder } from "../../network/fixture.js"

/** What a tool may reach whose command is `curl`, and runs anywhere. */
export const held = (
  network: Authority.Encoded["network"],
  endpoints: ReadonlyArray<string> = []
): Authority.Authority =>
  Schema.decodeSync(Authority.FromJson)({
    ...(network === undefined ? {} : { network }),
    private: { connect: [...endpoints] },
    process: { exec: [{ argv: "*", in: "/" }] },
    files: { read: ["/"] }
  })

/** All four verbs for these hosts. */
export const everything = (
  hosts: ReadonlyArray<string>,
  endpoints: ReadonlyArray<string> = []
): Authority.Authority => held({ get: hosts, post: hosts, put: hosts, delete: hosts }, endpoints)

/** What permitted a command, and what is heard of what it asked then. */
export const permitted = (authority: Authority.Authority, sealing?: (holder: Holder) => object) => {
  const events: Array<string> = []
  const denials: Array<Denial> = []
  const who = holder({
    authority,
    tool: "run_command",
    observe: (decision, asked) => {
      events.push(`${decision.allowed ? "allowed" : "refused"} ${asked}`)
      if (!decision.allowed) denials.push(decision.denial)
    }
  })
  const proof = Either.getOrThrow(ask({ ...who, sealing: sealing?.(who) }, Request.exec(["curl"], "/")))
  events.length = 0
  return { proof, events, denials }
}

/** An address that is public, whose connections go to loopback in every test. */
export const PUBLIC = "93.184.215.14"

interface Setting {
  readonly authority: Authority.Authority
  /** The server behind every address; without it nobody is there. */
  readonly port?: number
  readonly hosts?: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** In place of `hosts`. */
  readonly resolve?: Resolve
  readonly door?: Destination
  readonly connections?: number
  readonly bytes?: number
  readonly refusals?: number
  readonly hello?: number
  readonly idle?: number
  readonly token?: string
  /** What its tool may send without seeing it. */
  readonly sealing?: (holder: Holder) => object
  readonly trusted?: ReadonlyArray<string>
}

/** A proxy that clients connect to, with all that it was heard to ask. */
export const proxy = (setting: Setting) =>
  Effect.gen(function* () {
    const { denials, events, proof } = permitted(setting.authority, setting.sealing)
    const notes: Array<string> = []
    const dialled = recorder(setting.port)
    const resolver = names(setting.hosts ?? {})
    const { accept } = yield* ChildProxy.make({
      office: {
        resolve: setting.resolve ?? resolver.resolve,
        interfaces: () => ({}),
        connect: dialled.connect,
        trusted: setting.trusted,
        times: { connect: 60_000, hello: setting.hello ?? 60_000, idle: setting.idle ?? 60_000 }
      },
      proof,
      caps: {
        connections: setting.connections ?? defaults.connections,
        bytes: setting.bytes ?? defaults.networkBytes,
        refusals: setting.refusals ?? 2000
      },
      note: (text) => notes.push(text),
      token: setting.token
    })
    const open = new Set<Socket>()
    const server = yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const made = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
          open.add(socket)
          socket.once("close", () => open.delete(socket))
          accept(socket, setting.door)
        })
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) =>
        Effect.async<void>((done) => {
          made.close(() => done(Effect.void))
          for (const socket of open) socket.destroy()
        })
    )
    return {
      port: (server.address() as AddressInfo).port,
      events,
      denials,
      notes,
      dialled: dialled.asked,
      resolved: resolver.asked
    }
  })

/** Says something, and hears everything until the other side closes. */
export const say = (port: number, ...texts: ReadonlyArray<string | Uint8Array>): Effect.Effect<string> =>
  Effect.async((resume) => {
    const heard: Array<Buffer> = []
    const socket = connect(port, "127.0.0.1", () => {
      for (const text of texts) socket.write(text)
    })
    socket.on("data", (chunk) => heard.push(chunk)).on("error", () => {})
    socket.once("close", () => resume(Effect.succeed(Buffer.concat(heard).toString("latin1"))))
  })

/** A client that takes turns. */
export const client = (port: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<Socket>((resume) => {
        const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
        socket.on("error", () => {})
      }),
      (socket) => Effect.sync(() => socket.destroy())
    ),
    (socket) => {
      let heard = ""
      let changed = () => {}
      socket.on("data", (chunk) => {
        heard += chunk.toString("latin1")
        changed()
      })
      socket.once("close", () => changed())
      return {
        socket,
        write: (text: string | Uint8Array) => Effect.sync(() => void socket.write(text)),
        /** All that was heard, once it ends so, or nothing more comes. */
        until: (end: string) =>
          Effect.async<string>((resume) => {
            changed = () => {
              if (!heard.endsWith(end) && !socket.closed) return
              changed = () => {}
              const all = heard
              heard = ""
              resume(Effect.succeed(all))
            }
            changed()
          }),
        closed: Effect.async<string>((resume) => {
          const end = () => resume(Effect.succeed(heard))
          if (socket.closed) end()
          else socket.once("close", end)
        })
      }
    }
  )

/** The first line of an answer. */
export const statusOf = (answer: string): string => answer.split("\r\n", 1)[0] ?? ""

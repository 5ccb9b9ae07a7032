/**
 * The network of a child. It has a network namespace of its own, in which nothing is but sockets that this program
 * accepts on: those of the proxy, and the doors of hosts that are granted by their full names.
 *
 * @since 0.1.0
 */
import { randomBytes } from "node:crypto"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { networkInterfaces } from "node:os"
import { rootCertificates } from "node:tls"
import { Duration, Effect, type Scope } from "effect"
import { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Plan } from "../../../policy/confinement/Plan.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Limits } from "../../../policy/Sandbox.js"
import type { Options as NetworkOptions } from "../network/NodeNetwork.js"
import { systemResolve } from "../network/Vetting.js"
import { doorsOf } from "./doors.js"
import * as Listeners from "./listeners/Listeners.js"
import * as ChildProxy from "./proxy/ChildProxy.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options
  extends Pick<NetworkOptions, "resolve" | "interfaces" | "connect">,
    Listeners.Options {
  /** Certificate authorities that children trust besides those of the system, in PEM. */
  readonly trusted?: ReadonlyArray<string> | undefined
  /** Until a connection stands, for each address that is tried: 10 seconds, if it is left out. */
  readonly connectTime?: Duration.DurationInput | undefined
  /** Until a connection of a child says what it is for: 10 seconds, if it is left out. */
  readonly helloTime?: Duration.DurationInput | undefined
  /** How long a connection is kept on which nothing comes or goes: 5 minutes, if it is left out. */
  readonly idleTime?: Duration.DurationInput | undefined
}

/**
 * What may be open at once, and may pass in all, where the policy does not say.
 *
 * @since 0.1.0
 * @category defaults
 */
export const defaults = {
  connections: 128,
  networkBytes: 1024 * 1024 * 1024,
  connectTime: Duration.seconds(10),
  helloTime: Duration.seconds(10),
  idleTime: Duration.minutes(5)
}

/**
 * One child that has not started yet: it waits, in its namespace.
 *
 * @since 0.1.0
 * @category models
 */
export interface Child extends Listeners.Inhabitant {
  /** What permitted it to run; it is asked for all that the child wants to reach. */
  readonly proof: Proof
  readonly plan: Pick<Plan, "reaches" | "doors">
  readonly limits: Limits
  /** Says something of how it ran. */
  readonly note: (text: string) => void
}

/**
 * What makes children trust more authorities than the system does.
 *
 * @since 0.1.0
 * @category models
 */
export interface Trust {
  /** To be added to the bundle in the child's copy of `/etc`, and to be the bundle where there is none. */
  readonly text: string
  /** Tells programs of the bundle, by the path that it has inside. */
  readonly environmentOf: (bundle: string) => Readonly<Record<string, string>>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ChildNetwork {
  /** Why children have no network here, in words; nothing, where they can have one. */
  readonly unavailable: string | undefined
  /** Nothing, where the option `trusted` is not used. */
  readonly trust: Trust | undefined
  /** What stands in its `/etc/hosts`. */
  readonly hostsOf: (plan: Pick<Plan, "reaches" | "doors">) => string
  /** The variables that lead programs to the proxy. */
  readonly environmentOf: (plan: Pick<Plan, "reaches" | "doors">) => Readonly<Record<string, string>>
  /** Opens the network of a child. Everything listens when it answers, and is closed with the scope. */
  readonly open: (child: Child) => Effect.Effect<void, ProcessError, Scope.Scope>
  /**
   * The same where a child has no namespace of its own: the proxy listens on a port of this machine, and takes only who
   * shows a token, which is in the variables. There are no doors.
   */
  readonly openHere: (
    child: Omit<Child, keyof Listeners.Inhabitant>
  ) => Effect.Effect<Here, ProcessError, Scope.Scope>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Here {
  /** On 127.0.0.1, and the only one that the child needs. */
  readonly port: number
  readonly environment: Readonly<Record<string, string>>
}

const PROXY = { address: "127.0.0.1", port: 3128 }

/** No `NO_PROXY`: what it would name is reached in no other way. */
const VARIABLES = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"]

const leadingTo = (authority: string): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(VARIABLES.map((name) => [name, `http://${authority}`])),
  NODE_USE_ENV_PROXY: "1"
})

const environment = leadingTo(`${PROXY.address}:${PROXY.port}`)

const capsOf = ({ connections, networkBytes }: Limits) => ({
  connections: connections ?? defaults.connections,
  bytes: networkBytes ?? defaults.networkBytes,
  refusals: REFUSALS
})

/** The transcript of a turn keeps ten thousand events. */
const REFUSALS = 2000

/** On a port that is free. */
const listening: Effect.Effect<Server, ProcessError, Scope.Scope> = Effect.acquireRelease(
  Effect.async((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.fail(noPort)))
    server.listen(0, PROXY.address, () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => void server.close())
)

const noPort = new ProcessError({
  code: "SPAWN_FAILED",
  detail: "the proxy of the command found no port to listen on, so the command was not started; try again"
})

/**
 * Keeps programs from asking for news of themselves, which no policy has among its hosts. Whoever sets one of these otherwise
 * means it.
 *
 * @since 0.1.0
 * @category defaults
 */
export const quiet: Readonly<Record<string, string>> = {
  NO_UPDATE_NOTIFIER: "1",
  npm_config_update_notifier: "false",
  PIP_DISABLE_PIP_VERSION_CHECK: "1"
}

/** Programs that look elsewhere than the system does, each by the name that it knows. */
const BUNDLES = [
  "SSL_CERT_FILE",
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "PIP_CERT",
  "NODE_EXTRA_CA_CERTS",
  "npm_config_cafile"
]

const trustOf = (trusted: ReadonlyArray<string> | undefined): Trust | undefined =>
  trusted === undefined || trusted.length === 0
    ? undefined
    : {
        text: trusted.map((pem) => `${pem.trim()}\n`).join(""),
        environmentOf: (bundle) => Object.fromEntries(BUNDLES.map((name) => [name, bundle]))
      }

/** As a server of HTTP has them: who has sent all may still be answered. */
const accepting = (server: Server, accept: (socket: Socket) => void): void => {
  Object.assign(server, { allowHalfOpen: true, noDelay: true })
  // What cannot be accepted is the child's loss, and no failure of the program.
  server.on("connection", accept).on("error", () => {})
}

/**
 * Makes the network of the children of one layer. Its helper ends with the scope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<ChildNetwork, never, Scope.Scope> =>
  Effect.map(Listeners.make(options), ({ listen }): ChildNetwork => {
    const unavailable = Listeners.unavailable(options)
    const millis = (name: "connectTime" | "helloTime" | "idleTime") =>
      Math.min(Duration.toMillis(options[name] ?? defaults[name]), LONGEST_TIMER)
    const office = {
      resolve: options.resolve ?? systemResolve,
      interfaces: options.interfaces ?? networkInterfaces,
      connect: options.connect,
      trusted: options.trusted && [...rootCertificates, ...options.trusted],
      times: { connect: millis("connectTime"), hello: millis("helloTime"), idle: millis("idleTime") }
    }
    const isOpen = ({ reaches }: Pick<Plan, "reaches">) => reaches && unavailable === undefined
    return {
      unavailable,
      trust: trustOf(options.trusted),
      hostsOf: (plan) => (isOpen(plan) ? doorsOf(plan.doors).hosts : doorsOf([]).hosts),
      environmentOf: (plan) => (isOpen(plan) ? environment : {}),
      open: ({ limits, namespace, note, pid, plan, proof }) => {
        if (!plan.reaches) return Effect.void
        if (unavailable !== undefined) return Effect.sync(() => note(unavailable))
        return Effect.gen(function* () {
          const doors = doorsOf(plan.doors)
          const proxy = yield* ChildProxy.make({ office, proof, caps: capsOf(limits), note })
          const [first, ...others] = yield* listen({ pid, namespace }, [PROXY, ...doors.places])
          if (first !== undefined) accepting(first, (socket) => proxy.accept(socket))
          if (others.includes(undefined)) note(NO_SIX)
          for (const server of others) {
            if (server === undefined) continue
            accepting(server, (socket) => {
              const door = doors.at(socket.localAddress, socket.localPort)
              if (door === undefined) socket.destroy()
              else proxy.accept(socket, door)
            })
          }
        })
      },
      openHere: ({ limits, note, proof }) =>
        Effect.gen(function* () {
          const token = randomBytes(24).toString("base64url")
          const proxy = yield* ChildProxy.make({ office, proof, caps: capsOf(limits), note, token })
          const server = yield* listening
          accepting(server, (socket) => proxy.accept(socket))
          const { port } = server.address() as AddressInfo
          return { port, environment: leadingTo(`${ChildProxy.USER}:${token}@${PROXY.address}:${port}`) }
        })
    }
  })

const NO_SIX =
  "this machine is without IPv6, so [::1] leads nowhere for the command; programs that use its proxy reach it"

/** A longer timer fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

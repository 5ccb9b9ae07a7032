/**
 * The network backend on Node: HTTP/1.1 over connections to vetted addresses, with limits on everything that a server
 * can send.
 *
 * @since 0.1.0
 */
import { networkInterfaces } from "node:os"
import { Effect, Either, Layer, Option, type Scope } from "effect"
import { NetworkBackend } from "../../../capabilities/network/NetworkBackend.js"
import * as Parts from "../../../capabilities/network/NetworkParts.js"
import { begun } from "../../http/FirstStep.js"
import { Inlet } from "./body.js"
import type { Connect } from "./Connector.js"
import { Deadlines } from "./deadlines.js"
import * as Limits from "./limits.js"
import { Lines } from "./lines.js"
import type { Interfaces } from "./own.js"
import { type Office, Run } from "./run.js"
import { RequestSlots } from "./slots.js"
import { type Resolve, systemResolve } from "./Vetting.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options extends Partial<Limits.Limits> {
  /** Finds all addresses of a name; without it the system does. Every one of them must be allowed. */
  readonly resolve?: Resolve
  /** Lists the interfaces of this machine; without it the system does. Their addresses are not public. */
  readonly interfaces?: Interfaces
  /** Opens TCP connections; without it the system does. It gets the vetted address, and must go there. */
  readonly connect?: Connect
  /** The certificate authorities to trust, in PEM, instead of those that Node trusts. */
  readonly trusted?: ReadonlyArray<string>
}

const request =
  (office: Office): NetworkBackend.Service["request"] =>
  (proof, content) =>
    Effect.clockWith((clock) => {
      const step = begun(proof, content, office.limits)
      if (Either.isLeft(step)) return Effect.fail(step.left)
      const run = new Run(office, clock, proof)
      return Effect.onExit(
        Effect.map(
          run.send(step.right, "whole"),
          ({ body, headers, request: { url }, setCookies, status }) => ({
            status,
            headers,
            setCookies,
            url,
            body: body instanceof Inlet ? new Uint8Array(0) : body
          })
        ),
        () => run.finish
      )
    })

const NOTHING = Effect.fail(Option.none())

const open =
  (office: Office): NetworkBackend.Service["open"] =>
  (proof, content) =>
    Parts.make((keeper) =>
      Effect.clockWith((clock) => {
        const step = begun(proof, content, office.limits)
        if (Either.isLeft(step)) return Effect.fail(step.left)
        const run = new Run(office, clock, proof, keeper)
        return Effect.map(
          run.send(step.right, "flow"),
          ({ body, headers, request: { url }, setCookies, status }) => ({
            head: { status, headers, setCookies, url },
            ...(body instanceof Inlet ? { pull: body.pull, whole: body.whole } : { pull: NOTHING })
          })
        )
      })
    )

/**
 * Makes the backend. It closes its connections with the scope.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<NetworkBackend.Service, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync((): Office => {
        const { connect, interfaces, resolve, trusted, ...given } = options
        const limits = Limits.settle(given)
        return {
          limits,
          resolve: resolve ?? systemResolve,
          interfaces: interfaces ?? networkInterfaces,
          connect,
          trusted,
          lines: new Lines(limits),
          slots: new RequestSlots(limits),
          deadlines: new Deadlines(Math.min(limits.headersTime, limits.totalTime)),
          runs: new Set()
        }
      }),
      ({ lines, runs }) =>
        Effect.promise(() => {
          for (const run of runs) run.close()
          return lines.close()
        })
    ),
    (office) => NetworkBackend.guarded({ request: request(office), open: open(office) })
  )

/**
 * Sends the requests that the policy permits. Private addresses and redirects are checked too. The layer closes its
 * connections with its scope.
 *
 * @example
 * ```ts
 * import { NodeNetwork } from "bailiwick/node"
 *
 * export const network = NodeNetwork.layer({ totalTime: "30 seconds", bodyBytes: 1024 * 1024 })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<NetworkBackend> =>
  Layer.scoped(NetworkBackend, make(options))

/**
 * What an adapter reaches: the hosts of its platform, by the network of this program with its gate and its vetting, and the
 * secrets that it names. It has no other way out.
 *
 * @since 0.1.0
 */
import { Effect, type Redacted, Schema, Stream } from "effect"
import { Network } from "../capabilities/network/Network.js"
import { NetworkBackend } from "../capabilities/network/NetworkBackend.js"
import type { NetworkError } from "../capabilities/network/NetworkOperations.js"
import * as ScopedNetwork from "../capabilities/network/ScopedNetwork.js"
import * as ScopedSecrets from "../capabilities/secrets/ScopedSecrets.js"
import { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import type { SecretsError } from "../capabilities/secrets/SecretsOperations.js"
import type { AttachmentCache } from "../layers/node/attachments/AttachmentCache.js"
import { holder } from "../policy/gate/Asking.js"
import * as Authority from "../policy/lattice/Authority.js"
import type { Decision } from "../policy/lattice/Decision.js"
import { Scrubber } from "../registry/scrub/Scrubber.js"
import { AdapterError } from "./AdapterError.js"
import * as Intake from "./Intake.js"
import type { Failure } from "./notes.js"

/**
 * What every adapter can be told.
 *
 * @since 0.1.0
 * @category models
 */
export interface EndpointOptions {
  /** Base URLs in place of the platform's own: those of a stub, or of a server of your own. Only their hosts are reached. */
  readonly baseUrls?: ReadonlyArray<string> | undefined
  /** Which of their hosts may be at an address that is not public, each with its port: `127.0.0.1:8081`. */
  readonly private?: ReadonlyArray<string> | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options extends EndpointOptions, Intake.Options {
  /** The hosts of the platform, in the notation of `allowedHosts`. */
  readonly hosts: ReadonlyArray<string>
  /** The refs of the secrets that the adapter reads. */
  readonly secrets?: ReadonlyArray<string | undefined> | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Receiver extends Intake.Intake {
  /** The network of the platform's hosts, and of no others. */
  readonly network: Network.Service
  /** What the platform's API answers to a GET. */
  readonly json: <A, I>(
    url: string,
    schema: Schema.Schema<A, I>,
    options?: Network.Options
  ) => Effect.Effect<A, NetworkError>
  /** One of the secrets that were named. */
  readonly secret: (ref: string) => Effect.Effect<Redacted.Redacted<string>, SecretsError>
  /** The file at a URL, which is one of the platform's. */
  readonly download: (url: string, options?: Network.Options) => Stream.Stream<Uint8Array, Failure>
}

const parsed = (url: string): URL | undefined => {
  try {
    return new URL(url)
  } catch {
    return undefined
  }
}

const invalid = (platform: string, detail: string) =>
  new AdapterError({ code: "SETTING_INVALID", platform, detail })

const authorityOf = (
  { baseUrls, hosts, platform, private: endpoints = [], secrets = [] }: Options,
  origins: ReadonlyArray<URL>
): Effect.Effect<Authority.Authority, AdapterError> =>
  Schema.decode(Authority.FromJson)({
    network: { get: baseUrls === undefined ? hosts : origins.map(({ hostname }) => hostname) },
    private: { connect: endpoints },
    secrets: { read: secrets.filter((ref) => ref !== undefined) }
  }).pipe(
    Effect.mapError(({ message }) =>
      invalid(platform, `its hosts, private endpoints or secrets cannot be read: ${message}`)
    )
  )

/**
 * Makes the receiver of a platform over the backends of this program. It holds what it needs and nothing else: to get from
 * the platform's hosts, and to read the secrets that are named.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options
): Effect.Effect<Receiver, AdapterError, AttachmentCache | NetworkBackend | SecretsBackend> =>
  Effect.gen(function* () {
    const { platform } = options
    const origins = (options.baseUrls ?? []).flatMap((url) => parsed(url) ?? [])
    if (origins.length < (options.baseUrls ?? []).length) {
      return yield* invalid(platform, "one of baseUrls is no URL; write it as http://127.0.0.1:8081")
    }
    const authority = yield* authorityOf(options, origins)
    const scrubber = new Scrubber()
    const scrub = (text: string) => scrubber.text(text)
    const intake = yield* Intake.make(options, scrub)
    const log = (decision: Decision, asked: string) =>
      Effect.annotateLogs(decision.allowed ? Effect.logDebug("allowed") : Effect.logWarning("refused"), {
        platform,
        asked: scrub(asked),
        ...(decision.allowed ? {} : { code: decision.denial.code, detail: scrub(decision.denial.detail) })
      })
    const held = holder({ tool: `adapter ${platform}`, authority, log })
    const hidden = (value: string) => scrubber.add(value)
    const network = Network.make(ScopedNetwork.scoped(held, yield* NetworkBackend, hidden))
    const secrets = ScopedSecrets.scoped(held, yield* SecretsBackend, hidden)

    /** A platform speaks TLS; who names another base URL has said what it speaks. */
    const isAtPlatform = (url: string): boolean => {
      const at = parsed(url)
      if (at === undefined) return false
      return options.baseUrls === undefined
        ? at.protocol === "https:" && at.port === ""
        : origins.some(({ origin }) => origin === at.origin)
    }

    const download = (url: string, request?: Network.Options): Stream.Stream<Uint8Array, Failure> =>
      isAtPlatform(url)
        ? Stream.provideService(
            network.stream(url, {
              ...request,
              headers: { "accept-encoding": "identity", ...request?.headers }
            }),
            Network,
            network
          )
        : Intake.refuse("its address is not one of the platform")

    return {
      ...intake,
      network,
      json: (url, schema, request) =>
        Effect.provideService(network.json(url, schema, request), Network, network),
      secret: (ref) => secrets.get({ ref }),
      download
    }
  })

/** Failures of the network and of secrets, with nothing secret in their words. */
export const scrubbed =
  ({ platform, scrub }: Receiver) =>
  (error: NetworkError | SecretsError): AdapterError =>
    new AdapterError({
      code: error._tag === "SecretsError" ? "SECRET_MISSING" : "PLATFORM_REFUSED",
      platform,
      detail: scrub(error.message)
    })

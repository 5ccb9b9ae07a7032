/**
 * An audit log in a directory: JSON lines, a file a day and further ones where a day has many, for their owner alone.
 * Several processes may write into one directory at the same time.
 *
 * @since 0.1.0
 */
import { Effect, Layer, type Redacted, Stream } from "effect"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import { Encoder } from "../../../audit/AuditLine.js"
import { AuditError, AuditSink } from "../../../audit/AuditSink.js"
import type { SecretsBackend } from "../../../capabilities/secrets/SecretsBackend.js"
import * as Kept from "../disk/Kept.js"
import type { Verified } from "./chain/Verify.js"
import type { Witness } from "./chain/Witness.js"
import { unwritable } from "./failure.js"
import { type System, system } from "./system.js"
import { Writer } from "./Writer.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Where the log lies. The first entry creates it. */
  readonly directory: string
  /** Whether entries are on the disk before they count as kept, and outlast a machine that loses power: no unless given. */
  readonly fsync?: boolean | undefined
  /** What becomes of calls whose entries cannot be kept: `closed` unless given. */
  readonly onFailure?: AuditSink.Service["onFailure"] | undefined
  /** How large a file becomes before another is begun: 64 MiB unless given. */
  readonly fileBytes?: number | undefined
  /** For how many days before today files are kept; forever unless given. */
  readonly keepDays?: number | undefined
  /**
   * The ref of a secret. With it each line carries a digest that is made with the secret, over the line and the one before
   * it, so that `verify` finds what was changed, removed or added afterwards.
   */
  readonly chain?: string | undefined
  /** Hears what an operator should know, such as of a line that was repaired. Without it, that is logged as a warning. */
  readonly say?: ((sentence: string) => void) | undefined
}

type Unchained = Omit<Options, "chain"> & { readonly chain?: undefined }

const FILE_BYTES = 64 * 1024 * 1024

/** What is not a whole number from 1 on would keep nothing, or all. */
const whole = <A extends number | undefined>(name: string, value: A): A => {
  if (value !== undefined && (!Number.isSafeInteger(value) || value < 1)) {
    throw new RangeError(`'${name}' is not a whole number from 1 on`)
  }
  return value
}

const closed = unwritable("the audit log is closed: the layer it came from has ended")

const witnessBy = (
  ref: string | undefined
): Effect.Effect<Witness | undefined, AuditError, SecretsBackend> => {
  if (ref === undefined) return Effect.succeed(undefined)
  return Effect.gen(function* () {
    // What only a chain needs is loaded only for one.
    const [{ Chain }, { keyOf }, { secretOf }, { Witness }] = yield* Effect.promise(() =>
      Promise.all([
        import("./chain/Chain.js"),
        import("./chain/Digest.js"),
        import("./chain/Secret.js"),
        import("./chain/Witness.js")
      ])
    )
    return new Witness(new Chain(keyOf(yield* secretOf(ref, "AUDIT_UNWRITABLE"))))
  })
}

const over = (options: Options, witness: Witness | undefined, on: System) =>
  Effect.gen(function* () {
    const { directory, fsync = false, onFailure = "closed" } = options
    const fileBytes = whole("fileBytes", options.fileBytes ?? FILE_BYTES)
    const keepDays = whole("keepDays", options.keepDays)
    Kept.close(directory, { isMade: true })
    const sentences: Array<string> = []
    const say = options.say ?? ((sentence) => void sentences.push(sentence))
    const writer = new Writer({ directory, fileBytes, keepDays, witness, system: on, say })
    let isEnded = false
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isEnded = true
        writer.close()
      })
    )

    const said = Effect.suspend(() =>
      sentences.length === 0
        ? Effect.void
        : Effect.forEach(sentences.splice(0), (sentence) => Effect.logWarning("Audit.append", sentence), {
            discard: true
          })
    )

    const write = (lines: string, now: number): Effect.Effect<void, AuditError> | undefined => {
      if (isEnded) return closed
      if (lines === "") return undefined
      try {
        const handle = writer.append(lines, now)
        const kept = fsync ? handle.synced : undefined
        return sentences.length === 0 ? kept : Effect.zipRight(said, kept ?? Effect.void)
      } catch (error) {
        if (error instanceof AuditError) return error
        throw error
      }
    }

    const encoder = new Encoder()
    const append = (entries: ReadonlyArray<AuditEntry>): Effect.Effect<void, AuditError> =>
      Effect.clockWith((clock) =>
        entries.length === 0 && !isEnded
          ? Effect.void
          : (write(encoder.lines(entries), clock.unsafeCurrentTimeMillis()) ?? Effect.void)
      )

    const service: AuditSink.Service = {
      append: Object.assign(append, { lines: write }),
      entries: (since) =>
        Stream.unwrap(
          Effect.map(
            // What only reads is loaded only by who reads.
            Effect.promise(() => import("./AuditFiles.js")),
            ({ read }) => read({ directory }, { since })
          )
        ),
      onFailure
    }
    return service
  })

/** @internal */
export const makeOn = (options: Options, on: System) =>
  Effect.flatMap(witnessBy(options.chain), (witness) => over(options, witness, on))

/**
 * Keeps entries in a directory. It makes nothing before the first entry. With `chain` it reads the key at once, from where
 * secrets are kept, and fails where there is none.
 *
 * @example
 * ```ts
 * import { Audit, NodeSecrets } from "bailiwick/node"
 * import { Layer } from "effect"
 *
 * export const plain = Audit.layer({ directory: "/var/lib/agent/audit", keepDays: 90 })
 *
 * export const chained = Audit.layer({ directory: "/var/lib/agent/audit", chain: "AUDIT_KEY" }).pipe(
 *   Layer.provide(NodeSecrets.layerDirectory({ directory: "/run/secrets" }))
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: {
  (options: Unchained): Layer.Layer<AuditSink>
  (options: Options): Layer.Layer<AuditSink, AuditError, SecretsBackend>
} = (options: Options): Layer.Layer<AuditSink, never, never> =>
  // Without a chain nothing is asked for, and nothing fails; with one the second signature says so.
  Layer.scoped(AuditSink, makeOn(options, system)) as Layer.Layer<AuditSink>

export type {
  /**
   * What `verify` found: that all is as it was written, or the first line that is not.
   *
   * @since 0.1.0
   * @category models
   */
  Verified
} from "./chain/Verify.js"

/**
 * The secret of a chain, for `verify`: as the layer reads it, from where secrets are kept.
 *
 * @since 0.1.0
 * @category accessors
 */
export const secretOf = (ref: string): Effect.Effect<Redacted.Redacted<string>, AuditError, SecretsBackend> =>
  Effect.flatMap(
    Effect.promise(() => import("./chain/Secret.js")),
    (loaded) => loaded.secretOf(ref, "AUDIT_UNREADABLE")
  )

/**
 * Whether a log is as it was written. It says the first line that was changed, removed, moved or added since. Lines that are
 * cut off at the end of the log are found only with a `head`: the digest that an earlier `verify` answered with, kept where
 * whoever alters the log does not reach it. Files that are gone at its beginning are missed, unless they are older than
 * `keepDays`, which is the one of the layer.
 *
 * @example
 * ```ts
 * import { Audit, NodeSecrets } from "bailiwick/node"
 * import { Effect } from "effect"
 *
 * export const check = Effect.gen(function* () {
 *   const secret = yield* Audit.secretOf("AUDIT_KEY")
 *   const found = yield* Audit.verify("/var/lib/agent/audit", secret)
 *   console.log(found.ok ? `as it was written, head ${found.head}` : `${found.kind} at ${found.at}`)
 * }).pipe(Effect.provide(NodeSecrets.layerDirectory({ directory: "/run/secrets" })))
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const verify = (
  directory: string,
  secret: Redacted.Redacted<string>,
  options: { readonly head?: string | undefined; readonly keepDays?: number | undefined } = {}
): Effect.Effect<Verified, AuditError> =>
  Effect.flatMap(
    Effect.promise(() => import("./chain/Verify.js")),
    (loaded) => loaded.verify(directory, secret, options)
  )

/**
 * The backends that a turn can use: whichever of them the surrounding program provides.
 *
 * @since 0.1.0
 */
import { Context } from "effect"
import { AttachmentsBackend } from "../capabilities/attachments/AttachmentsBackend.js"
import type { Category } from "../capabilities/Capabilities.js"
import { FilesBackend } from "../capabilities/files/FilesBackend.js"
import { NetworkBackend } from "../capabilities/network/NetworkBackend.js"
import { ProcessBackend } from "../capabilities/process/ProcessBackend.js"
import { RecordsBackend } from "../capabilities/records/RecordsBackend.js"
import { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import { StorageBackend } from "../capabilities/storage/StorageBackend.js"
import { Progress } from "../tools/Progress.js"

/**
 * Which backends a category stands on. Attachments are files, so they need both.
 *
 * @since 0.1.0
 * @category models
 */
const byCategory = {
  network: [NetworkBackend],
  secrets: [SecretsBackend],
  storage: [StorageBackend],
  fs_reach: [FilesBackend],
  process: [ProcessBackend],
  attachments: [AttachmentsBackend, FilesBackend],
  records: [RecordsBackend],
  agents: [RecordsBackend]
} as const satisfies { readonly [C in Category]: ReadonlyArray<Context.Tag<never, never> | object> }

type ByCategory = typeof byCategory

/**
 * The backends that a declaration needs.
 *
 * @since 0.1.0
 * @category requirements
 */
export type BackendsOf<Caps> = {
  readonly [K in keyof Caps & Category]: Context.Tag.Identifier<ByCategory[K][number]>
}[keyof Caps & Category]

/** A listener for progress is no capability, and comes along. */
const tags = [...new Set<{ readonly key: string }>([...Object.values(byCategory).flat(), Progress])]

/**
 * Only the backends of a context.
 *
 * @since 0.1.0
 * @category constructors
 */
export const from = (context: Context.Context<never>): Context.Context<never> =>
  Context.unsafeMake(
    new Map(
      tags.flatMap(({ key }) => {
        const service: unknown = context.unsafeMap.get(key)
        return service === undefined ? [] : [[key, service] as const]
      })
    )
  )

/**
 * Whether two contexts hold the same backends.
 *
 * @since 0.1.0
 * @category predicates
 */
export const same = (a: Context.Context<never>, b: Context.Context<never>): boolean =>
  a === b || tags.every(({ key }) => a.unsafeMap.get(key) === b.unsafeMap.get(key))

/**
 * The first category of a declaration that has no backend.
 *
 * @since 0.1.0
 * @category predicates
 */
export const missing = (declared: object, backends: Context.Context<never>): Category | undefined =>
  (Object.keys(declared) as ReadonlyArray<Category>).find((category) =>
    byCategory[category].some(({ key }) => !backends.unsafeMap.has(key))
  )

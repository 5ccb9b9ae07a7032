/**
 * How much a tool, a session or a personality may keep.
 *
 * @since 0.1.0
 */
import { StorageError } from "./StorageOperations.js"

/**
 * Of each namespace by itself. `bytes` are those of its keys and values, in UTF-8.
 *
 * @since 0.1.0
 * @category models
 */
export interface Quota {
  readonly entries: number
  readonly bytes: number
}

/**
 * More than any honest tool keeps, and less than fills a disk.
 *
 * @since 0.1.0
 * @category defaults
 */
export const defaultQuota: Quota = { entries: 100_000, bytes: 256 * 1024 * 1024 }

/**
 * What is not given is as by default.
 *
 * @since 0.1.0
 * @category defaults
 */
export const quotaOf = (given: Partial<Quota> = {}): Quota => ({
  entries: given.entries ?? defaultQuota.entries,
  bytes: given.bytes ?? defaultQuota.bytes
})

const encoder = new TextEncoder()

/**
 * What an entry counts for.
 *
 * @since 0.1.0
 * @category quotas
 */
export const sizeOf = (key: string, value: string): number =>
  encoder.encode(key).length + encoder.encode(value).length

const remedy = "delete some, give entries a time to live, or have the quota of the layer raised"

/**
 * Why a write may not be made, if it may not. What makes a namespace smaller always may: also where it holds more than
 * it should, because the quota was lowered since. A quota that is no number allows nothing.
 *
 * @since 0.1.0
 * @category quotas
 */
export const overQuota = (held: Quota, added: Quota, quota: Quota): StorageError | undefined => {
  const detail =
    added.entries > 0 && !(held.entries + added.entries <= quota.entries)
      ? `the store holds ${held.entries} entries, and may hold ${quota.entries}; ${remedy}`
      : added.bytes > 0 && !(held.bytes + added.bytes <= quota.bytes)
        ? `the store holds ${held.bytes} bytes, and may hold ${quota.bytes}; ${remedy}`
        : undefined
  return detail === undefined ? undefined : new StorageError({ code: "QUOTA_EXCEEDED", detail })
}

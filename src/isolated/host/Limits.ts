/**
 * How much a worker may say, and how long it may take. Every limit has a default here and nowhere else. Whoever exceeds one
 * is ended.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export interface Limits {
  /** Bytes of one message. */
  readonly frameBytes: number
  /** Values in one message: what it is made into takes far more room, and time, than its bytes. */
  readonly values: number
  /** Operations of one call that run at once, and bytes of what was sent for them. */
  readonly operations: number
  readonly operationBytes: number
  /** Reports of progress of one call, with what it logs, and bytes of all of them. */
  readonly reports: number
  readonly reportBytes: number
  /** What one call says of operations that are over, or of nothing. */
  readonly idle: number
  /** Bytes that wait for a worker to read them. */
  readonly unreadBytes: number
  /** Tools of one module. */
  readonly tools: number
  /** Names of hosts, secrets, paths and the like that one tool declares. */
  readonly declared: number
  /** Characters of a description; what is longer is cut. */
  readonly descriptionLength: number
  /** Characters and levels of a schema. */
  readonly schemaLength: number
  readonly schemaDepth: number
  /** Characters of its error output that are kept. */
  readonly errorLength: number
  /** Until a worker has said what its tools are. */
  readonly startMillis: number
  /** Until a worker that is told to stop says that it has heard, and until it has cleaned up. */
  readonly heedMillis: number
  readonly graceMillis: number
  /** How long the worker of a turn stays without a call. */
  readonly idleMillis: number
  /** Memory of one worker, where a policy writes no limit. */
  readonly memoryBytes: number
}

const MEBIBYTE = 1024 * 1024

/**
 * @since 0.1.0
 * @category defaults
 */
export const defaults: Limits = {
  frameBytes: 64 * MEBIBYTE,
  values: 200_000,
  operations: 4096,
  operationBytes: 256 * MEBIBYTE,
  reports: 100_000,
  reportBytes: 16 * MEBIBYTE,
  idle: 1_000_000,
  unreadBytes: 128 * MEBIBYTE,
  tools: 512,
  declared: 256,
  descriptionLength: 4096,
  schemaLength: 65_536,
  schemaDepth: 64,
  errorLength: 8192,
  startMillis: 30_000,
  heedMillis: 250,
  graceMillis: 10_000,
  idleMillis: 10_000,
  memoryBytes: 1024 * MEBIBYTE
}

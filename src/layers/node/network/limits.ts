/**
 * How much one request may take. Every limit has a default here and nowhere else.
 *
 * @since 0.1.0
 */
import { Duration } from "effect"

/**
 * @since 0.1.0
 * @category models
 */
export interface Limits {
  /** Bytes of the headers of an answer, and of those that a tool sends. */
  readonly headerBytes: number
  /** Bytes of a body that is sent. */
  readonly requestBytes: number
  /** Bytes of the body of an answer, as it comes over the wire. */
  readonly bodyBytes: number
  /** Bytes of the body of an answer, once it is decompressed. */
  readonly decodedBytes: number
  /** Requests in one chain of redirects, the first included. */
  readonly requests: number
  /** Until a connection stands, for each address that is tried. */
  readonly connectTime: Duration.DurationInput
  /** From sending a request to the headers of its answer. */
  readonly headersTime: Duration.DurationInput
  /** From the call to the last byte, waiting and redirects included. */
  readonly totalTime: Duration.DurationInput
  /** Requests of one tool of a session at a time. */
  readonly inFlight: number
  /** Requests of one tool of a session that wait for their turn. */
  readonly waiting: number
  /** Connections that are kept open without a request on them, over all hosts. */
  readonly idleConnections: number
  /** How long one of them is kept, unless the server wants it shorter. */
  readonly idleTime: Duration.DurationInput
}

const defaults: Limits = {
  headerBytes: 16 * 1024,
  requestBytes: 16 * 1024 * 1024,
  bodyBytes: 16 * 1024 * 1024,
  decodedBytes: 32 * 1024 * 1024,
  requests: 5,
  connectTime: "10 seconds",
  headersTime: "30 seconds",
  totalTime: "2 minutes",
  inFlight: 32,
  waiting: 1024,
  idleConnections: 128,
  idleTime: "4 seconds"
}

/** Times in milliseconds, and numbers that can be counted to. */
export type Settled = { readonly [K in keyof Limits]: number }

/** How far timers reach. */
const LONGEST = 2 ** 31 - 1

const whole = (value: number, least: number): number =>
  Number.isNaN(value) ? least : Math.max(least, Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER))

const millis = (time: Duration.DurationInput): number => Math.min(whole(Duration.toMillis(time), 1), LONGEST)

export const settle = (given: Partial<Limits>): Settled => {
  const limits: Limits = { ...defaults, ...given }
  return {
    headerBytes: Math.min(whole(limits.headerBytes, 1), LONGEST),
    requestBytes: whole(limits.requestBytes, 0),
    bodyBytes: whole(limits.bodyBytes, 0),
    decodedBytes: whole(limits.decodedBytes, 0),
    requests: whole(limits.requests, 1),
    connectTime: millis(limits.connectTime),
    headersTime: millis(limits.headersTime),
    totalTime: millis(limits.totalTime),
    inFlight: whole(limits.inFlight, 1),
    waiting: whole(limits.waiting, 0),
    idleConnections: whole(limits.idleConnections, 0),
    idleTime: millis(limits.idleTime)
  }
}

/**
 * How much a server over HTTP takes of those who hold its token.
 *
 * @since 0.1.0
 */
import { Duration } from "effect"

/**
 * @since 0.1.0
 * @category models
 */
export interface HttpLimits {
  /** How many sessions there are at once; one more is refused. */
  readonly sessions: number
  /** How long a session is kept in which nothing runs, to which nobody listens, and from which nobody asks. */
  readonly idle: Duration.DurationInput
  /** How many requests of one session run at once. */
  readonly inFlight: number
  readonly connections: number
  readonly headerBytes: number
  readonly bodyBytes: number
  /** How long a client may take to send a request. */
  readonly request: Duration.DurationInput
  /** How many bytes wait for a client that does not read. Reports beyond that are dropped, and streams are ended. */
  readonly bufferedBytes: number
  /** How long a client may leave what is sent to it unread; also how often streams show that they live. */
  readonly stalled: Duration.DurationInput
}

/**
 * @since 0.1.0
 * @category defaults
 */
export const defaultHttpLimits: HttpLimits = {
  sessions: 64,
  idle: "30 minutes",
  inFlight: 256,
  connections: 512,
  headerBytes: 16 * 1024,
  bodyBytes: 4 * 1024 * 1024,
  request: "30 seconds",
  bufferedBytes: 1024 * 1024,
  stalled: "30 seconds"
}

export const millis = (duration: Duration.DurationInput): number => Duration.toMillis(duration)

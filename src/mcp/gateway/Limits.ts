/**
 * How much a server may say, and how long it may take. Every limit has a default here and nowhere else.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export interface Limits {
  /** Bytes of one message. */
  readonly messageLength: number
  /** Tools that one server offers, and pages that it lists them on. */
  readonly tools: number
  readonly pages: number
  /** Characters of a tool's description; what is longer is cut. */
  readonly descriptionLength: number
  /** Characters and levels of a schema; a tool with more is left out. */
  readonly schemaLength: number
  readonly schemaDepth: number
  /** Parts of one result, and characters of the data of one of them. */
  readonly parts: number
  readonly dataLength: number
  /** Requests on their way to one server, and bytes that wait for it to read them. */
  readonly inFlight: number
  readonly unreadBytes: number
  /** What a server may do wrong before it is ended: garbage, answers that nobody waits for, requests that are refused. */
  readonly faults: number
  /** Messages that nobody asked for between two answers. */
  readonly unsolicited: number
  /** Reports of progress of one call. */
  readonly reports: number
  /** Characters of what a server asks, how much of it is answered in one call, and how much at once. */
  readonly inquiryLength: number
  readonly inquiries: number
  readonly inquiriesAtOnce: number
  /** How often a server is told its roots. */
  readonly roots: number
  /** Characters of its error output that go to the log. */
  readonly logLength: number
  /** Until a server that was started has answered, and until it has listed its tools again. */
  readonly startMillis: number
  /** How often it is looked at whether a server that somebody waits for can still speak. */
  readonly listenMillis: number
  /** Attempts in a row before it is said to be not available, and the pauses between them. */
  readonly attempts: number
  readonly firstPauseMillis: number
  readonly longestPauseMillis: number
}

/**
 * @since 0.1.0
 * @category defaults
 */
export const defaults: Limits = {
  messageLength: 8 * 1024 * 1024,
  tools: 512,
  pages: 64,
  descriptionLength: 4096,
  schemaLength: 32 * 1024,
  schemaDepth: 32,
  parts: 256,
  dataLength: 2 * 1024 * 1024,
  inFlight: 256,
  unreadBytes: 16 * 1024 * 1024,
  faults: 256,
  unsolicited: 10_000,
  reports: 256,
  inquiryLength: 256 * 1024,
  inquiries: 16,
  inquiriesAtOnce: 4,
  roots: 64,
  logLength: 64 * 1024,
  startMillis: 30_000,
  listenMillis: 1000,
  attempts: 4,
  firstPauseMillis: 250,
  longestPauseMillis: 30_000
}

/**
 * The decisions of a turn, in the order in which they were taken. Each is data without contents: what was asked, by
 * which tool, what came of it and why.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Code, Reason } from "../policy/lattice/Denial.js"

/**
 * `callId` is there when the decision belongs to one call.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Event = Schema.Struct({
  type: Schema.Literal("guardrail"),
  sequence: Schema.Int,
  session: Schema.String,
  /** On whose behalf, where the policy is an agent's. */
  agent: Schema.optionalWith(Schema.String, { exact: true }),
  revision: Schema.String,
  tool: Schema.String,
  callId: Schema.optionalWith(Schema.String, { exact: true }),
  capability: Schema.String,
  asked: Schema.String,
  allowed: Schema.Boolean,
  /** The scope that allowed it. */
  scope: Schema.optionalWith(Schema.String, { exact: true }),
  reason: Schema.optionalWith(Reason, { exact: true }),
  code: Schema.optionalWith(Code, { exact: true }),
  detail: Schema.optionalWith(Schema.String, { exact: true }),
  remedy: Schema.optionalWith(Schema.String, { exact: true })
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Event extends Schema.Schema.Type<typeof Event> {}

/** What is older than this many events is dropped, and counted. */
const CAPACITY = 10_000

/**
 * @since 0.1.0
 * @category models
 */
export class Transcript {
  private readonly kept: Array<Event> = []
  private next = 0
  private readonly listeners = new Set<(event: Event) => void>()

  add(event: Omit<Event, "type" | "sequence">): void {
    const whole: Event = { type: "guardrail", sequence: this.next, ...event }
    this.kept[this.next % CAPACITY] = whole
    this.next += 1
    for (const listener of this.listeners) listener(whole)
  }

  /** The events that are kept, oldest first. */
  get events(): ReadonlyArray<Event> {
    const start = this.next % CAPACITY
    return this.next <= CAPACITY ? [...this.kept] : [...this.kept.slice(start), ...this.kept.slice(0, start)]
  }

  /** How many events were dropped. */
  get dropped(): number {
    return Math.max(0, this.next - CAPACITY)
  }

  /** Calls a function with every event from now on; the answer stops it. */
  listen(listener: (event: Event) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}

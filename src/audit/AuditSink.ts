/**
 * Where entries of the audit log are kept. A program that provides a sink has every decision of its turns kept; the results
 * of calls are handed out once that is done.
 *
 * @since 0.1.0
 */
import { Context, type Effect, Schema, type Stream } from "effect"
import type { AuditEntry } from "./AuditEntry.js"

/**
 * @since 0.1.0
 * @category errors
 */
export class AuditError extends Schema.TaggedError<AuditError>("bailiwick/AuditError")("AuditError", {
  code: Schema.Literal("AUDIT_UNWRITABLE", "AUDIT_UNREADABLE", "AUDIT_ALTERED"),
  detail: Schema.String
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

/**
 * @since 0.1.0
 */
export declare namespace AuditSink {
  /**
   * Settles once all of these are kept, in this order; what was kept before stays before them. Where it fails, none of
   * them counts as kept, and they may be given again.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Append {
    (entries: ReadonlyArray<AuditEntry>): Effect.Effect<void, AuditError>
    /**
     * The same for a sink that keeps text, and mostly without waiting: a batch of calls costs a fraction then. It is given
     * lines of JSON, each with a newline at its end, and the moment in milliseconds. A line is an `AuditEntry.InLine`: calls
     * may share one, and `AuditEntry.unpacked` has the entries of it. It takes them when it is called. It answers with `undefined` where they are kept by then; else with an Effect that is run once, and settles
     * when they are. It stands at `append`, so that who puts another `append` in the place of one is not gone around.
     */
    readonly lines?: (lines: string, now: number) => Effect.Effect<void, AuditError> | undefined
  }

  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly append: Append
    /** What is kept, in the order in which it was given; of a time or later, in milliseconds, where one is given. */
    readonly entries: (since?: number) => Stream.Stream<AuditEntry, AuditError>
    /**
     * Fails where nothing can be kept now, for a sink that can know. It is asked before calls are made, where they would fail
     * otherwise once they have been.
     */
    readonly reached?: Effect.Effect<void, AuditError>
    /** What becomes of calls whose entries cannot be kept: they fail, or they go on and the loss is said. */
    readonly onFailure: "closed" | "open"
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class AuditSink extends Context.Tag("bailiwick/AuditSink")<AuditSink, AuditSink.Service>() {}

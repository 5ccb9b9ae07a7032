/** The entity that a session is in the cluster, and what can be said to it. */
import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as Entity from "@effect/cluster/Entity"
import * as Rpc from "@effect/rpc/Rpc"
import { Schema } from "effect"
import { ProgressEvent } from "../tools/Progress.js"
import { reasons } from "./wire/Sealing.js"

/**
 * A runner does not take a turn: the message is not what it should be. Who can write to the store can say so, too, and a model
 * reads it: it has no words of its own.
 */
export class TurnRefused extends Schema.TaggedError<TurnRefused>("bailiwick/TurnRefused")("TurnRefused", {
  reason: Schema.Literal(...reasons)
}) {}

const sealed = { key: Schema.String, sealed: Schema.String }

/** What is heard of a turn while it runs. A result is sealed as it is kept. */
export const Heard = Schema.Union(
  Schema.Struct({ _tag: Schema.Literal("Progress"), event: ProgressEvent }),
  Schema.Struct({ _tag: Schema.Literal("Result"), call: Schema.Int, sealed: Schema.String })
)

export type Heard = typeof Heard.Type

/** Some of what is heard, and what to ask with for what comes after it; none where the turn may be elsewhere by now. */
export const Listened = Schema.Struct({ news: Schema.Array(Heard), next: Schema.String })

export type Listened = typeof Listened.Type

/**
 * `Turn` outlives its sender and every runner; `Quick` is sent from process to process and is in no table. Both are
 * answered under the same claims. `Watch` and `Cancel` are of a turn that runs.
 */
export const Session = Entity.make("bailiwick/Session", [
  Rpc.make("Turn", {
    payload: sealed,
    success: Schema.String,
    error: TurnRefused,
    primaryKey: ({ key }) => key
  })
    .annotate(ClusterSchema.Persisted, true)
    // A runner that ends interrupts who asked it, which would be kept as an end of the turn. Who wants to end one says `Cancel`.
    .annotate(ClusterSchema.Uninterruptible, "client"),
  Rpc.make("Quick", { payload: sealed, success: Schema.String, error: TurnRefused }),
  // No stream: what a runner sends that ends would wait for a word of who hears it, which does not reach it any more.
  Rpc.make("Watch", { payload: { key: Schema.String, after: Schema.String }, success: Listened }),
  Rpc.make("Cancel", { payload: { key: Schema.String } })
]).annotateRpcs(ClusterSchema.ClientTracingEnabled, false)

/**
 * What goes wrong between a client and its runners.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { clusterCodes } from "../registry/errorCodes/EdgeCodes.js"

/**
 * `KEY_MISSING`: a key of the cluster cannot be read, or is too short. `STORE_UNREACHABLE`: PostgreSQL does not answer.
 * `STORE_NEWER`: a newer version has written the tables. `CLUSTER_DIFFERS`: the runners that are there are set otherwise.
 * `ADDRESS_TAKEN`: a runner cannot listen. `MESSAGE_REFUSED`: a
 * message is forged, altered, too old, or of another version. `POLICY_DIFFERS`: a runner has another policy. `RUNNER_FENCED`: another runner has taken over.
 *
 * @since 0.1.0
 * @category errors
 */
export class ClusterError extends Schema.TaggedError<ClusterError>("bailiwick/ClusterError")("ClusterError", {
  code: Schema.Literal(...clusterCodes),
  detail: Schema.String
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

/**
 * @since 0.1.0
 */
import { Schema } from "effect"
import { isolatedCodes } from "../../registry/errorCodes/EdgeCodes.js"

/**
 * Why an isolated tool did not run to its end, or a module could not be made one. `WORKER_ENDED`: its process is gone.
 * `WORKER_MISBEHAVED`: it was ended, because it did what no worker does. `MODULE_NOT_LOADED`: its code did not start, or
 * could not be read. `DESCRIPTION_REFUSED`: what it says of its tools cannot be accepted. `SERVICE_NOT_SERIALISABLE`: a tool
 * lists a service that cannot be served across processes. `NOT_HELD`: the kernel cannot hold a process here.
 *
 * @since 0.1.0
 * @category errors
 */
export class IsolatedError extends Schema.TaggedError<IsolatedError>("bailiwick/IsolatedError")(
  "IsolatedError",
  {
    code: Schema.Literal(...isolatedCodes),
    detail: Schema.String
  }
) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

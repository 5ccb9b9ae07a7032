/** How far a call has come, as its client asked to be told: only ever further. */
import type { ProgressEvent } from "../../tools/Progress.js"
import type { Notification, RequestId } from "../protocol/Message.js"
import { isRequestId, own } from "../protocol/ReadMessage.js"

/** What a client calls the progress of a request, where it wants to hear of it. */
export const progressToken = (params: unknown): RequestId | undefined => {
  const token = own(own(params, "_meta"), "progressToken")
  return isRequestId(token) ? token : undefined
}

export class Reports {
  private last: number | undefined

  constructor(private readonly token: RequestId) {}

  /** Nothing where a tool says again how far it was, or goes back. */
  of({ done, message, total }: ProgressEvent): Notification | undefined {
    const progress = done === undefined ? (this.last ?? 0) + 1 : done
    if (!Number.isFinite(progress) || (this.last !== undefined && progress <= this.last)) return undefined
    this.last = progress
    return {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: {
        progressToken: this.token,
        progress,
        ...(done !== undefined && total !== undefined && Number.isFinite(total) ? { total } : {}),
        ...(message === "" ? {} : { message })
      }
    }
  }
}

/**
 * What carries the messages of one server, from its start to its end.
 *
 * @since 0.1.0
 */
import type { Holder } from "../../policy/gate/Asking.js"
import type { Authority } from "../../policy/lattice/Authority.js"
import type { Serving } from "../../registry/Serving.js"
import type { Line } from "../protocol/Lines.js"
import type { GatewayError } from "./GatewayError.js"
import type { Limits } from "./Limits.js"

/**
 * Who hears what a server says.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ears {
  /** `about` is the request that it came for, where that is known. */
  readonly line: (line: Line, about?: string | number) => void
  /** Whether somebody still waits for the answer to a request. */
  readonly waitsFor: (id: string | number) => boolean
  /** One request could not be sent, or will not be answered. */
  readonly failed: (id: string | number, why: GatewayError) => void
  readonly ended: (why: GatewayError) => void
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Starting {
  readonly name: string
  readonly serving: Serving.Service
  /** Who asks for the server. */
  readonly holder: Holder
  readonly limits: Limits
  /** What it requires, where it is told which directories of that it has. */
  readonly rooted: Authority | undefined
  readonly ears: Ears
}

/**
 * What sends permitted requests.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Stream } from "effect"
import { guarded, type Proof } from "../../policy/gate/Proof.js"
import type { Http } from "../../policy/lattice/Request.js"
import type { Network } from "./Network.js"
import type { NetworkError } from "./NetworkOperations.js"

/**
 * @since 0.1.0
 */
export declare namespace NetworkBackend {
  /**
   * What goes with a permitted method and URL.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Content extends Pick<Network.Request, "headers" | "body" | "redirects"> {
    /** Goes to an address that is not public, or nowhere: what it carries in the clear is for nobody else. */
    readonly isPrivate?: boolean
  }

  /**
   * A redirect, and an address that is not public, is asked of the proof again.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly request: (proof: Proof<Http>, content: Content) => Effect.Effect<Network.Response, NetworkError>
    readonly open: (proof: Proof<Http>, content: Content) => Stream.Stream<Network.Part, NetworkError>
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class NetworkBackend extends Context.Tag("bailiwick/NetworkBackend")<
  NetworkBackend,
  NetworkBackend.Service
>() {
  /** A backend that takes proofs which were made for itself, and nothing else: every implementation is one. */
  static guarded(service: NetworkBackend.Service): NetworkBackend.Service {
    return guarded(service, ["request", "open"])
  }

  /** Operations that need no proof, such as a mock's, behind the door. */
  static fromOperations({ open, request }: Network.Operations): NetworkBackend.Service {
    const whole = ({ request: { method, url } }: Proof<Http>, content: NetworkBackend.Content) => ({
      ...content,
      method,
      url
    })
    return NetworkBackend.guarded({
      request: (proof, content) => request(whole(proof, content)),
      open: (proof, content) => open(whole(proof, content))
    })
  }
}

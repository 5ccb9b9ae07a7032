/**
 * A request that was asked and permitted. Backends take nothing else. This is what a backend needs of proofs: to read
 * one, to ask it about where a thing leads, and to take only those that were made for itself. Nothing here makes one.
 *
 * @since 0.1.0
 */
export {
  /**
   * @since 0.1.0
   * @category guarding
   */
  guarded,
  /**
   * @since 0.1.0
   * @category models
   */
  Proof,
  /**
   * @since 0.1.0
   * @category models
   */
  type Refusal,
  /**
   * @since 0.1.0
   * @category guarding
   */
  sightPassedTo
} from "./Asking.js"

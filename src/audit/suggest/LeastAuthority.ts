/**
 * The least authority that would have done: from the entries of an audit log, wherever they are kept, to what could be taken
 * from a record or a personality without an answer coming out differently, and to what was refused again and again.
 *
 * @since 0.1.0
 */
export type {
  /**
   * @since 0.1.0
   * @category models
   */
  Options
} from "./Basis.js"
export {
  /**
   * @since 0.1.0
   * @category models
   */
  type Evidence,
  /**
   * @since 0.1.0
   * @category constructors
   */
  evidenceOf,
  /**
   * @since 0.1.0
   * @category models
   */
  Gathering
} from "./Evidence.js"
export {
  /**
   * @since 0.1.0
   * @category examining
   */
  suggestFor as forAgent
} from "./ForAgent.js"
export {
  /**
   * @since 0.1.0
   * @category examining
   */
  suggestFor as forPersonality
} from "./ForPersonality.js"
export {
  /**
   * @since 0.1.0
   * @category models
   */
  type Question,
  /**
   * @since 0.1.0
   * @category examining
   */
  questionsOf
} from "./Questions.js"
export type {
  /**
   * @since 0.1.0
   * @category models
   */
  Suggestion
} from "./Suggestion.js"
export {
  /**
   * @since 0.1.0
   * @category examining
   */
  neverUsed,
  /**
   * @since 0.1.0
   * @category models
   */
  type Usage,
  /**
   * @since 0.1.0
   * @category examining
   */
  usage
} from "./Usage.js"

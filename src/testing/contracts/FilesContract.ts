/**
 * What everything that touches files must do. Each case is an Effect that needs a `FilesBackend` and no test runner:
 * run them against each layer you write.
 *
 * @since 0.1.0
 */
import { adding } from "./filesAdding.js"
import type { Case, Rig } from "./filesCase.js"
import { changing } from "./filesChanging.js"
import { moving } from "./filesMoving.js"
import { permitted } from "./filesProofs.js"
import { reading } from "./filesReading.js"
import { searching } from "./filesSearching.js"
import { together } from "./filesTogether.js"

export {
  /**
   * @since 0.1.0
   * @category errors
   */
  ContractBroken
} from "./contract.js"

export type {
  /**
   * @since 0.1.0
   * @category models
   */
  Case,
  /**
   * @since 0.1.0
   * @category models
   */
  Rig
} from "./filesCase.js"

/**
 * The cases that can be run with what the rig has, each for itself: in any order, at the same time, and in a directory
 * that holds other things too. Each makes a directory of its own and removes it, through the backend.
 *
 * @since 0.1.0
 * @category cases
 */
export const cases = (rig: Rig): ReadonlyArray<Case> =>
  [...reading, ...changing, ...adding, ...moving, ...searching, ...together, ...permitted]
    .map((definition) => definition(rig))
    .filter(
      ({ about }) =>
        (about !== "links" || rig.link !== undefined) && (about !== "limits" || rig.limits !== undefined)
    )

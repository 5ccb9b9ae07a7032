/**
 * What everything that starts commands must do. Each case is an Effect that needs a `ProcessBackend` and no test runner:
 * run them against each layer you write. They use commands that every POSIX system has, and leave nothing behind in the
 * directory that they are given.
 *
 * @since 0.1.0
 */
import type { Case, Rig } from "./processCase.js"
import { commands } from "./processCommands.js"
import { ending } from "./processEnding.js"
import { speaking } from "./processSpeaking.js"
import { ofOperator, surroundings } from "./processSurroundings.js"

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
} from "./processCase.js"

/**
 * The cases that can be run with what the rig has, each for itself: in any order and at the same time.
 *
 * @since 0.1.0
 * @category cases
 */
export const cases = (rig: Rig): ReadonlyArray<Case> =>
  [
    ...commands,
    ...surroundings,
    ...(rig.operator === undefined ? [] : [ofOperator(rig.operator)]),
    ...ending,
    ...speaking
  ]
    .map((definition) => definition(rig))
    .filter(({ about }) => about !== "limits" || rig.limits !== undefined)

/** How much of a stream may be on its way before somebody has taken it. Both sides count. */

/**
 * Elements from the host to the worker.
 *
 * @since 0.1.0
 * @category limits
 */
export const WINDOW = 16

/**
 * Elements from the worker to the host, on one lane.
 *
 * @since 0.1.0
 * @category limits
 */
export const LANE_WINDOW = 8

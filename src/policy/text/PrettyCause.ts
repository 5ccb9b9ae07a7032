/**
 * A cause as text. What was thrown may break whoever looks at it; Effect looks with a short stack in force, which would stay so
 * for the whole program then.
 *
 * @since 0.1.0
 */
import { Cause } from "effect"

/**
 * Throws what was thrown while it was looked at.
 *
 * @since 0.1.0
 * @category conversions
 */
export const prettyCause = (cause: Cause.Cause<unknown>): string => {
  const limit = Error.stackTraceLimit
  try {
    return Cause.pretty(cause)
  } finally {
    Error.stackTraceLimit = limit
  }
}

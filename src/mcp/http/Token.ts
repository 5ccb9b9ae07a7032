/**
 * The token of a server over HTTP.
 *
 * @since 0.1.0
 */
import { randomBytes } from "node:crypto"

const BYTES = 32

/**
 * A new one, which nobody can guess, as text for a header.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): string => randomBytes(BYTES).toString("base64url")

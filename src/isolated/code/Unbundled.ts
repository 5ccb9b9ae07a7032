/**
 * Why a module is not there in a form, in words.
 *
 * @since 0.1.0
 * @category errors
 */
export class Unbundled extends Error {}

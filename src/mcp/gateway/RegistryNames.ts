/**
 * The names that tools of a server have in a registry and in a lock.
 *
 * @since 0.1.0
 */
export { namesOf } from "./toolNames.js"

/**
 * Turns on other machines.
 *
 * @since 0.1.0
 */
export { ClusterError } from "./ClusterError.js"
export * as ClusterRegistry from "./ClusterRegistry.js"

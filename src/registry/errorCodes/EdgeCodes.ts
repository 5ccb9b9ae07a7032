/**
 * The codes of errors that edges answer with. They stand here because the table of all codes may not look into an edge.
 *
 * @since 0.1.0
 */

/**
 * Of servers of others, behind the gateway.
 *
 * @since 0.1.0
 * @category models
 */
export const gatewayCodes = [
  "SERVER_NOT_CONFIGURED",
  "SERVER_NOT_STARTED",
  "SERVER_ENDED",
  "SERVER_TIMED_OUT",
  "SERVER_MALFORMED",
  "SERVER_REFUSED",
  "TOOL_FAILED"
] as const

/**
 * Of tools in processes of their own.
 *
 * @since 0.1.0
 * @category models
 */
export const isolatedCodes = [
  "WORKER_ENDED",
  "WORKER_MISBEHAVED",
  "MODULE_NOT_LOADED",
  "DESCRIPTION_REFUSED",
  "SERVICE_NOT_SERIALISABLE",
  "NOT_HELD"
] as const

/**
 * Of platforms that messages come from.
 *
 * @since 0.1.0
 * @category models
 */
export const adapterCodes = [
  "SETTING_INVALID",
  "SECRET_MISSING",
  "PLATFORM_REFUSED",
  "MESSAGE_INVALID"
] as const

/**
 * Of clusters.
 *
 * @since 0.1.0
 * @category models
 */
export const clusterCodes = [
  "KEY_MISSING",
  "STORE_UNREACHABLE",
  "STORE_NEWER",
  "CLUSTER_DIFFERS",
  "ADDRESS_TAKEN",
  "MESSAGE_REFUSED",
  "POLICY_DIFFERS",
  "RUNNER_FENCED"
] as const

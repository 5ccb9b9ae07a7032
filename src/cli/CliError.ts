/**
 * Bad usage or unreadable input: one sentence for standard error, and exit code 2.
 *
 * @since 0.1.0
 * @category errors
 */
export class CliError extends Error {
  readonly _tag = "CliError"
}

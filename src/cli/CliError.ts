/**
 * One sentence for standard error, and the code to exit with: 1 when something was understood and found wanting, 2 for
 * bad usage or unreadable input.
 *
 * @since 0.1.0
 * @category errors
 */
export class CliError extends Error {
  constructor(
    message: string,
    readonly exit: 1 | 2 = 2
  ) {
    super(message)
  }
}

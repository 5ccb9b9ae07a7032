/**
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * A tool declares a category for which nothing is wired here. It is found when its services are made, before the tool
 * runs.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotAvailable extends Schema.TaggedError<NotAvailable>("bailiwick/NotAvailable")("NotAvailable", {
  tool: Schema.String,
  category: Schema.String,
  detail: Schema.String
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return this.detail
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const missingSandbox = (tool: string): NotAvailable =>
  new NotAvailable({
    tool,
    category: "process",
    detail: `Tool ${tool} runs commands, the policy requires a sandbox for them, and this release has none; write 'sandbox: off' to run them unheld`
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const missingBackend = (tool: string, category: string): NotAvailable =>
  new NotAvailable({
    tool,
    category,
    detail: `Tool ${tool} declares capabilities but no capability backends are configured: ${category} has none; provide its backend layer`
  })

/**
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * A tool declares a category for which nothing is wired here, lists a service that nobody provides, or runs commands
 * that must be held where nothing holds them. It is found when its services are made, before the tool runs.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotAvailable extends Schema.TaggedError<NotAvailable>("bailiwick/NotAvailable")("NotAvailable", {
  tool: Schema.String,
  /** The category, or `services`. */
  category: Schema.String,
  /** The key of a service that is listed and not there. */
  service: Schema.optionalWith(Schema.String, { exact: true }),
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
export const missingSandbox = (
  tool: string,
  { remedy, why }: { readonly why: string; readonly remedy: string }
): NotAvailable =>
  new NotAvailable({
    tool,
    category: "process",
    detail: `Tool ${tool} runs commands, which must be held by the kernel, and ${why}; ${remedy}, or write 'sandbox: off' in bailiwick.yaml to run them unheld`
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const missingEnclosure = (
  tool: string,
  { remedy, why }: { readonly why: string; readonly remedy: string }
): NotAvailable =>
  new NotAvailable({
    tool,
    category: "isolated",
    detail: `Tool ${tool} is isolated: it runs in a process that the kernel must hold, and ${why}; ${remedy}, or write 'sandbox: preferred' in bailiwick.yaml to run it unheld`
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

/**
 * @since 0.1.0
 * @category constructors
 */
export const missingService = (tool: string, service: string): NotAvailable =>
  new NotAvailable({
    tool,
    category: "services",
    service,
    detail: `Tool ${tool} lists the service ${service}, which this program does not provide; provide its layer where tools are run: on the command line, export it as 'layer' from a module under 'tools' in bailiwick.yaml`
  })

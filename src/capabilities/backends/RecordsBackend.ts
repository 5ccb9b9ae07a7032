/**
 * What keeps records. The class of a record is known only once it is read, so its operations are asked one by one.
 *
 * @since 0.1.0
 */
import { Context } from "effect"
import type { Records } from "../Records.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class RecordsBackend extends Context.Tag("bailiwick/RecordsBackend")<
  RecordsBackend,
  Records.Operations
>() {}

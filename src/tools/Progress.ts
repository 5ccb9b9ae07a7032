/**
 * Progress from inside a tool. A host may listen; nobody has to.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer, Schema } from "effect"

/**
 * @since 0.1.0
 * @category schemas
 */
export const ProgressEvent = Schema.Struct({
  message: Schema.String,
  done: Schema.optionalWith(Schema.Finite, { exact: true }),
  total: Schema.optionalWith(Schema.Finite, { exact: true })
})

/**
 * @since 0.1.0
 * @category models
 */
export interface ProgressEvent extends Schema.Schema.Type<typeof ProgressEvent> {}

/**
 * @since 0.1.0
 */
export declare namespace Progress {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly report: (event: ProgressEvent) => Effect.Effect<void>
  }
}

/**
 * A reference and not a tag: a tool that reports requires nothing, and is silent where nobody listens.
 *
 * @since 0.1.0
 * @category references
 */
export class Progress extends Context.Reference<Progress>()("bailiwick/Progress", {
  defaultValue: (): Progress.Service => ({ report: () => Effect.void })
}) {
  /** Listens to what runs under it. */
  static layer(report: Progress.Service["report"]): Layer.Layer<Progress> {
    return Layer.succeed(Progress, { report })
  }
}

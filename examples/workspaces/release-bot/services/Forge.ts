/** Where releases are: which repository, and on which server. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class Forge extends Context.Tag("release/Forge")<
  Forge,
  {
    /** Their address, on GitHub or on a GitHub Enterprise Server. */
    readonly releases: () => Effect.Effect<string>
  }
>() {
  /** What it takes and gives, so that it is served to tools in a process of their own too. */
  static readonly operations = {
    releases: { payload: Schema.Undefined, success: Schema.String, failure: Schema.Never }
  }
}

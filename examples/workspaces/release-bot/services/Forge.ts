/** Which repository this is, and on which server. */
import * as Context from "effect/Context"

export class Forge extends Context.Tag("release/Forge")<
  Forge,
  {
    /** `https://api.github.com`, or the address of a GitHub Enterprise Server. */
    readonly api: string
    /** `owner/name`. */
    readonly repository: string
  }
>() {}

/** What was found after the end of a child, in words: for its result, and for who hears the decisions of the call. */
import type { Finding } from "../../../../policy/confinement/Look.js"
import type { Cover } from "../../../../policy/confinement/Plan.js"
import type { Proof } from "../../../../policy/gate/Proof.js"
import type { Scoped } from "../../../../policy/lattice/Request.js"
import { shown } from "../../../../policy/text/Quote.js"

export interface Swept {
  readonly path: string
  readonly reason: string
  /** What was done, behind the name of the path. */
  readonly said: string
}

/** By somebody outside: a child cannot. */
export const replaced =
  (who: string) =>
  ({ as, path, reason }: Cover): Swept => ({
    path,
    reason,
    said: `was replaced by somebody else while ${who} ran, which could ${as === "hidden" ? "read" : "change"} it from then on; look at it first`
  })

export const closed =
  (who: string) =>
  ({ path, reason }: Finding): Swept => ({
    path,
    reason,
    said: `was closed by ${who} and could not be opened; look at it first`
  })

const REMEDY = "have the policy name exactly this path, or use another one"

export const sentence = ({ path, reason, said }: Swept): string => `${shown(path)} ${said} (${reason})`

/** Has it heard as what it is: something that would not have been permitted. */
export const heard = (proof: Proof<Scoped>, swept: Swept): string => {
  const { path } = swept
  const detail = sentence(swept)
  proof.refuse({
    reason: "scope_violation",
    code: "PATH_NOT_REACHABLE",
    detail,
    capability: "files.write",
    asked: `write ${shown(path)}`,
    held: [],
    remedy: REMEDY
  })
  return detail
}

/**
 * @since 0.1.0
 */
import type { Authority } from "../lattice/Authority.js"
import { outermost, type Plan } from "./Plan.js"
import { segmentsOf } from "./paths.js"
import { PATH } from "./reach.js"

/**
 * The directories that a child has whole, and that an authority names: what else it sees is not counted. One that lies
 * inside of another is not listed again.
 *
 * @since 0.1.0
 * @category deciding
 */
export const rootsOf = ({ mounts }: Pick<Plan, "mounts">, { scopes }: Authority): ReadonlyArray<string> =>
  outermost(
    mounts.filter(({ kind, path }) => {
      const segments = segmentsOf(path)
      const { read, write } = scopes.files
      return kind === "tree" && (read.holdsBelow(PATH, segments) || write.holdsBelow(PATH, segments))
    })
  )

/** Directories for a while: where they may be made, and how they are called. */
import { Effect } from "effect"
import type { Authority } from "../../policy/lattice/Authority.js"
import { isWild } from "../../policy/lattice/Wildcard.js"
import type { Paths } from "../Paths.js"
import { FilesError } from "./FilesOperations.js"

/** Nobody guesses it, and no two are the same. */
const unguessable = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join(
    ""
  )

/** The working directory, and then the directories that may be written with all that is below them. */
export const writable = ({ scopes: { files } }: Authority, { workdir }: Paths): ReadonlyArray<string> => [
  workdir,
  ...files.write
    .encode()
    .flatMap((one) =>
      typeof one === "string" && one.endsWith("/") && !isWild(one) ? [one.slice(0, -1)] : []
    )
]

const NAME = /^[^/\0]{0,64}$/

interface Wanted {
  readonly prefix: string
  readonly places: ReadonlyArray<string>
  /** Makes one, and says where it is. */
  readonly make: (path: string) => Effect.Effect<string, FilesError>
}

/** In the first of the places in which it can be made. If there is none, the first says why. */
export const temporary = ({ make, places, prefix }: Wanted): Effect.Effect<string, FilesError> =>
  Effect.suspend(() => {
    if (!NAME.test(prefix)) {
      return new FilesError({
        code: "PATH_INVALID",
        detail: "the prefix of a temporary directory is a part of a name: at most 64 characters, and no '/'"
      })
    }
    const name = `${prefix}${unguessable()}`
    const [first, ...others] = places.map((place) => make(`${place === "/" ? "" : place}/${name}`))
    return others.reduce(
      (made, other) => Effect.catchAll(made, (error) => Effect.mapError(other, () => error)),
      first ?? Effect.dieMessage("a temporary directory has a place")
    )
  })

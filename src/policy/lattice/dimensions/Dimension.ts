/**
 * One axis along which authority is scoped, and how patterns on it are written.
 *
 * @since 0.1.0
 */
import type { Either } from "effect"
import type { Glob } from "../Glob.js"
import type { ScopeInvalid } from "../ScopeInvalid.js"

/**
 * `top` matches everything on the axis. `print` writes what `parse` reads, so that scopes can be stored and
 * compared as text; `element` reads one concrete thing, to be matched against patterns.
 *
 * @since 0.1.0
 * @category models
 */
export interface Dimension<Name extends string = string> {
  readonly name: Name
  readonly top: Glob
  readonly parse: (text: string) => Either.Either<Glob, ScopeInvalid>
  readonly print: (glob: Glob) => string
  readonly element: (text: string) => Either.Either<ReadonlyArray<string>, ScopeInvalid>
  /** What stands for everything in one place of the axis, where it has places: a directory, a prefix of ids. */
  readonly folder?: (segments: ReadonlyArray<string>) => Glob
}

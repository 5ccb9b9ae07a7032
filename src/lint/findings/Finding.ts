/** Something in a file that goes around what a tool declares. */
import type { Module, Place } from "../syntax/Module.js"
import type { Node } from "../syntax/Node.js"
import type { References } from "../syntax/Reference.js"
import type { Remedy } from "../tables/Remedy.js"

export interface Verdict {
  /** Its name, as the message and the option `allow` write it. */
  readonly what: string
  readonly remedy: Remedy
}

export interface Finding extends Verdict {
  readonly node: Node
}

export interface File {
  readonly module: Module
  readonly references: References
}

/** Finds one kind of thing at one place of a file. */
export type Finder = (place: Place, file: File) => ReadonlyArray<Finding>

export const nothing: ReadonlyArray<Finding> = []

export const at = (node: Node, verdict: Verdict | undefined): ReadonlyArray<Finding> =>
  verdict === undefined ? nothing : [{ ...verdict, node }]

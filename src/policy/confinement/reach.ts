/**
 * What a child may read and write, as two sets. It reads what its tool reads, and the directory of the grant that its
 * command runs by. It writes what its tool writes, as far as it reads it: the kernel knows no writing without looking.
 */
import type { Authority } from "../lattice/Authority.js"
import * as Glob from "../lattice/Glob.js"
import type * as Request from "../lattice/Request.js"
import { print, ScopeSet } from "../lattice/ScopeSet.js"
import type { LeftOut } from "./Plan.js"
import { segmentsOf } from "./paths.js"

export const PATH = "path"

export interface Reach {
  readonly read: ScopeSet
  readonly write: ScopeSet
  readonly leftOut: ReadonlyArray<LeftOut>
}

const NOWHERE = "it names no directory that a child could be given; name one, or files to read"
const UNREAD = "what may be written and not read cannot be given to a child; grant reading too"

const rootOf = (globs: ReadonlyArray<Glob.Glob>): Glob.Glob | undefined =>
  globs.find((glob) => Glob.isTree(glob) && glob.literals > 0)

export const reachOf = (authority: Authority, request: Request.Scoped, cwd: string): Reach => {
  const { files, process } = authority.scopes
  const commands = request.verb === "eval" ? process.eval : process.exec
  const asked = [request.element, { ...request.element, in: segmentsOf(cwd) }].flatMap((element) =>
    commands.asksOf("in", element)
  )
  const roots = asked.flatMap((globs) => rootOf(globs) ?? [])
  const { dimensions } = files.read
  const read = files.read.join([
    ScopeSet.make(
      dimensions,
      roots.map((root) => ({ [PATH]: [root] }))
    )
  ])
  return {
    read,
    write: files.write.meet(read),
    leftOut: [
      ...(asked.length > roots.length
        ? [{ what: `${request.verb} in any directory`, why: NOWHERE, of: "command" as const }]
        : []),
      ...files.write
        .missingFrom(read)
        .map((one) => ({ what: `write ${print(dimensions, one)}`, why: UNREAD }))
    ]
  }
}

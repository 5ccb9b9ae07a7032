/** Whether a file may come with a turn: a regular one, and none that the floor keeps from every tool. */
import { lstatSync } from "node:fs"
import { Either } from "effect"
import * as Floor from "../../../policy/gate/floor/Floor.js"
import * as Request from "../../../policy/lattice/Request.js"
import { realPath } from "../../read.js"

const isClosed = (floor: Floor.Floor, path: string): boolean => {
  const request = Request.file("read", path)
  return Either.isLeft(request) || Floor.forbids(floor, request.right) !== undefined
}

/** The floor comes first: what is on it is refused the same, whether it is there or not. */
export const whyNot =
  (floor: Floor.Floor) =>
  (path: string): string | undefined => {
    if (isClosed(floor, path) || isClosed(floor, realPath(path))) {
      return "no tool may read its path; copy the file elsewhere"
    }
    try {
      const found = lstatSync(path)
      if (found.isSymbolicLink()) return "it is a link; name the file itself"
      return found.isFile() ? undefined : "it is not a regular file"
    } catch {
      return "its file is not there"
    }
  }

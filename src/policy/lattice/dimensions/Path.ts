/**
 * Absolute paths. A trailing slash is a whole tree (`/data/`: that path and everything below it, not
 * `/database`); without one the pattern is matched exactly, with `*`, `?` and `**` as globs; `/.` is the root directory alone. `*` and `?` do not
 * cross a slash and do match a leading dot. `..` is never resolved: a pattern or a request that has it is
 * refused, because what it names depends on links.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { hasControl, MAX_LENGTH, MAX_SEGMENTS, quote } from "../../text/Quote.js"
import * as Glob from "../Glob.js"
import { invalid, type ScopeInvalid } from "../ScopeInvalid.js"
import { parseGlobSegments, printGlobSegments } from "../segments.js"
import { isWild } from "../Wildcard.js"
import type { Dimension } from "./Dimension.js"

/** The segments of an absolute path, without empty ones and `.`. */
const segments = (text: string): Either.Either<ReadonlyArray<string>, ScopeInvalid> => {
  if (!text.startsWith("/")) {
    return invalid("PATH_INVALID", `${quote(text)} is not an absolute path; start it with '/'`)
  }
  if (text.length > MAX_LENGTH)
    return invalid("PATH_INVALID", `a path is longer than ${MAX_LENGTH} characters`)
  if (hasControl(text)) return invalid("PATH_INVALID", `${quote(text)} holds a control character`)
  const parts = text.split("/").filter((part) => part !== "" && part !== ".")
  if (parts.length > MAX_SEGMENTS)
    return invalid("PATH_INVALID", `a path is deeper than ${MAX_SEGMENTS} directories`)
  return parts.includes("..")
    ? invalid(
        "PATH_INVALID",
        `${quote(text)} contains '..' and is always refused; write the path it stands for`
      )
    : Either.right(parts)
}

/**
 * A directory (or file) and everything below it, as declarations and roots are written: no globs.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parseTree = (text: string): Either.Either<Glob.Glob, ScopeInvalid> =>
  Either.flatMap(segments(text), (parts) =>
    parts.some(isWild)
      ? invalid(
          "PATH_INVALID",
          `${quote(text)} holds a wildcard; name the directory itself, it covers what is below`
        )
      : Either.right(Glob.tree(parts))
  )

const parse = (text: string): Either.Either<Glob.Glob, ScopeInvalid> =>
  Either.flatMap(segments(text), (parts) => {
    if (!text.endsWith("/")) return Either.map(parseGlobSegments("PATH_INVALID", text, parts), Glob.make)
    return parseTree(text)
  })

const print = (glob: Glob.Glob): string => {
  const tree = Glob.isTree(glob)
  const parts = printGlobSegments(tree ? glob.tokens.slice(0, -1) : glob.tokens)
  // The root directory alone, without what is below it, is written '/.'.
  if (parts.length === 0) return tree ? "/" : "/."
  return `/${parts.join("/")}${tree ? "/" : ""}`
}

/**
 * @since 0.1.0
 * @category dimensions
 */
export const path: Dimension<"path"> = {
  name: "path",
  top: Glob.tree([]),
  parse,
  print,
  element: segments,
  folder: Glob.tree
}

/** A tree, or with `/.` at its end that directory alone. */
const parseRoot = (text: string): Either.Either<Glob.Glob, ScopeInvalid> =>
  Either.map(parseTree(text), (tree) => (text.endsWith("/.") ? Glob.make(tree.tokens.slice(0, -1)) : tree))

const printRoot = (glob: Glob.Glob): string =>
  Glob.isTree(glob) || glob.tokens.length === 0 ? print(glob) : `${print(glob)}/.`

/**
 * Where a child process may run: a tree, or one directory alone.
 *
 * @since 0.1.0
 * @category dimensions
 */
export const root: Dimension<"in"> = {
  name: "in",
  top: Glob.tree([]),
  parse: parseRoot,
  print: printRoot,
  element: segments,
  folder: Glob.tree
}

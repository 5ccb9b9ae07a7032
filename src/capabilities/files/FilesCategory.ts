/** The category `fs_reach`, as the table of categories has it. */
import { Either, Schema } from "effect"
import * as Authority from "../../policy/lattice/Authority.js"
import * as Path from "../../policy/lattice/dimensions/Path.js"
import type { Glob } from "../../policy/lattice/Glob.js"
import { invalid } from "../../policy/lattice/ScopeInvalid.js"
import type { ScopeSet } from "../../policy/lattice/ScopeSet.js"
import {
  backendOf,
  type Description,
  type Listed,
  type Made,
  type Making,
  type Reading
} from "../Category.js"
import { everything, nothing, type Parsed, scopesOf } from "../scopes.js"
import type { IfUnused, List, Quoted, Undeclared } from "../sentences.js"
import { Files, FilesDeclaration } from "./Files.js"
import { FilesBackend } from "./FilesBackend.js"
import { FilesError } from "./FilesOperations.js"
import { scoped } from "./ScopedFiles.js"

type Declared = typeof FilesDeclaration.Type

/** The sentence about a requirement that is not covered. */
export type Complaint<X> =
  X extends Files.Read<infer P>
    ? Undeclared<`fs_reach.read needs '${P}'`>
    : X extends Files.Write<infer P>
      ? Undeclared<`fs_reach.write needs '${P}'`>
      : X extends Files.Traversal<infer P>
        ? `path '${P}' contains '..' and is always refused`
        : X extends Files
          ? Undeclared<"fs_reach">
          : never

/** A sentence for each path that is declared and never used. */
export type Unused<R, D> = Files extends R
  ? never
  : UnusedRead<R, List<D, "read">> | UnusedWrite<R, List<D, "write">>

type UnusedRead<R, P extends string> = P extends unknown
  ? IfUnused<R, Files.DeclaredRead<P>, `fs_reach.read ${Quoted<P>}`>
  : never

type UnusedWrite<R, P extends string> = P extends unknown
  ? IfUnused<R, Files.DeclaredWrite<P>, `fs_reach.write ${Quoted<P>}`>
  : never

const tree =
  (home: string | undefined) =>
  (text: string): Parsed<Glob> => {
    const atHome = /^~(\/|$)/.test(text)
    if (atHome && home === undefined) {
      return invalid("PATH_INVALID", `'${text}' starts at a home, and there is none here; name the directory`)
    }
    if (atHome && !home?.startsWith("/")) return invalid("PATH_INVALID", "a home is an absolute path")
    return Path.parseTree(atHome ? `${home}${text.slice(1)}` : text)
  }

const reach = (paths: Declared["read"] = [], { deferred, home }: Reading): Parsed<ScopeSet> =>
  paths === "from-personality"
    ? Either.right(deferred === "everything" ? everything.files.read : nothing.files.read)
    : scopesOf(nothing.files.read, "path", tree(home), paths)

const decode = Schema.decodeSync(Authority.FromJson)

/** Those files exactly, and not their directories; one whose name would be a pattern opens nothing. */
const reading = (paths: ReadonlyArray<string>): Authority.Authority =>
  decode({ files: { read: paths.filter((path) => !/[*?]/.test(path)) } })

/** Files, with the read reach extended by the files that came with the turn and that the holder may see. */
export const filesOf = (making: Making): Made => {
  const { attached, holder, paths } = making
  const reaching =
    attached.length === 0
      ? holder
      : { ...holder, authority: Authority.join(holder.authority, reading(attached.map(({ path }) => path))) }
  return [Files.key, Files.make(scoped(reaching, paths, backendOf(making, FilesBackend)))]
}

const reached = (direction: "read" | "write", paths: Declared["read"] = []): ReadonlyArray<Listed> => {
  const key = `fs_reach.${direction}`
  return paths === "from-personality"
    ? [{ key, value: paths, alone: { [direction]: paths }, open: true }]
    : paths.map((path) => ({ key, value: path, alone: { [direction]: [path] }, open: false }))
}

export const category = {
  declaration: FilesDeclaration,
  error: FilesError,
  tags: [Files],
  backends: [FilesBackend],
  facet: "files",
  aliases: ["fs", "file", "files", "filesystem", "fsreach", "paths", "disk"],
  surface: ({ read, write }) => [
    { label: "fs_reach.read", items: read },
    { label: "fs_reach.write", items: write }
  ],
  listed: ({ read, write }) => [...reached("read", read), ...reached("write", write)],
  authority: ({ read, write }, reading) =>
    Either.gen(function* () {
      const writable = yield* reach(write, reading)
      return { files: { read: yield* reach(read, reading), write: writable, delete: writable } }
    }),
  services: (_, making) => [filesOf(making)]
} as const satisfies Description<Declared>

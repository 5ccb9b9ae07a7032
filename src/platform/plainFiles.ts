/** The files of a tool as the bridge uses them: every path is computed, and what needs the category has it. */
import { Effect, type Scope } from "effect"
import { Files } from "../capabilities/files/Files.js"
import { FilesError } from "../capabilities/files/FilesOperations.js"

type Answer<A> = Effect.Effect<A, FilesError>

export interface PlainFiles {
  readonly readBytes: (path: string, range?: Files.Range) => Answer<Uint8Array>
  readonly write: (path: string, content: Uint8Array) => Answer<void>
  readonly append: (path: string, content: Uint8Array) => Answer<void>
  readonly create: (path: string, content: Uint8Array) => Answer<void>
  readonly exists: (path: string) => Answer<boolean>
  readonly entries: (path: string) => Answer<ReadonlyArray<Files.Entry>>
  readonly stat: (path: string) => Answer<Files.Stat>
  readonly mkdir: (path: string, options: Files.Options) => Answer<void>
  readonly remove: (path: string, options: Files.Options) => Answer<void>
  readonly rename: (from: string, to: string, options?: Files.RenameOptions) => Answer<void>
  readonly temporary: (options: Files.TemporaryOptions) => Effect.Effect<string, FilesError, Scope.Scope>
}

export const plainFiles = (files: Files.Service): PlainFiles => {
  const given = Effect.provideService(Files, files)
  return {
    readBytes: (path, range) => given(files.readBytes(path, range)),
    write: (path, content) => given(files.write(path, content)),
    append: (path, content) => given(files.append(path, content)),
    create: (path, content) => given(files.create(path, content)),
    exists: (path) => given(files.exists(path)),
    entries: (path) => given(files.entries(path)),
    stat: (path) => given(files.stat(path)),
    mkdir: (path, options) => given(files.mkdir(path, options)),
    remove: (path, options) => given(files.remove(path, options)),
    rename: (from, to, options) => given(files.rename(from, to, options)),
    temporary: (options) => given(files.temporary(options))
  }
}

/** The same below one directory, where relative paths begin, and nowhere else. */
export const below = (files: PlainFiles, root: string): PlainFiles => {
  const base = root.length > 1 ? root.replace(/\/+$/, "") : root
  const tree = base === "/" ? base : `${base}/`
  const at = <A, R>(
    path: string,
    use: (path: string) => Effect.Effect<A, FilesError, R>
  ): Effect.Effect<A, FilesError, R> => {
    const isAnchored = path.startsWith("/") || path === "~" || path.startsWith("~/")
    if (!isAnchored) return use(path === "" || path === "." ? base : `${tree}${path.replace(/^\.\//, "")}`)
    return path === base || path.startsWith(tree)
      ? use(path)
      : new FilesError({
          code: "PATH_NOT_REACHABLE",
          detail: `${path} does not lie below ${base}, for which this file system was made; make one for where it lies`
        })
  }
  return {
    readBytes: (path, range) => at(path, (one) => files.readBytes(one, range)),
    write: (path, content) => at(path, (one) => files.write(one, content)),
    append: (path, content) => at(path, (one) => files.append(one, content)),
    create: (path, content) => at(path, (one) => files.create(one, content)),
    exists: (path) => at(path, files.exists),
    entries: (path) => at(path, files.entries),
    stat: (path) => at(path, files.stat),
    mkdir: (path, options) => at(path, (one) => files.mkdir(one, options)),
    remove: (path, options) => at(path, (one) => files.remove(one, options)),
    rename: (from, to, options) =>
      at(from, (source) => at(to, (target) => files.rename(source, target, options))),
    temporary: ({ within = base, ...options }) =>
      at(within, (one) => files.temporary({ ...options, within: one }))
  }
}

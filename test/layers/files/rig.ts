/** A directory that may be reached beside one that may not, and the files of a tool over the live backend. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, Schema, type Scope } from "effect"
import { Files } from "../../../src/capabilities/files/Files.js"
import type { FilesError } from "../../../src/capabilities/files/FilesOperations.js"
import { scoped } from "../../../src/capabilities/files/ScopedFiles.js"
import * as NodeFiles from "../../../src/layers/node/files/NodeFiles.js"
import { type Holder, holder } from "../../../src/policy/gate/Asking.js"
import type { Floor } from "../../../src/policy/gate/floor/Floor.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"

export const SECRET = "outside, and nobody's business"

/** The service as a tool has it, when all it needs is supplied. */
const supplied = (files: Files.Service) => {
  const given = Effect.provideService(Files, files)
  return {
    read: (path: string) => given(files.read(path)),
    readBytes: (path: string, range?: Files.Range) => given(files.readBytes(path, range)),
    write: (path: string, content: string | Uint8Array) => given(files.write(path, content)),
    append: (path: string, content: string | Uint8Array) => given(files.append(path, content)),
    create: (path: string, content: string | Uint8Array) => given(files.create(path, content)),
    entries: (path: string) => given(files.entries(path)),
    rename: (from: string, to: string, options?: Files.RenameOptions) =>
      given(files.rename(from, to, options)),
    temporary: (options?: Files.TemporaryOptions) => given(files.temporary(options)),
    exists: (path: string) => given(files.exists(path)),
    list: (path: string) => given(files.list(path)),
    stat: (path: string) => given(files.stat(path)),
    mkdir: (path: string, options?: Files.Options) => given(files.mkdir(path, options)),
    remove: (path: string, options?: Files.Options) => given(files.remove(path, options)),
    search: (path: string, query: Files.Query) => given(files.search(path, query))
  }
}

/** Any operation that needs no more than a path. */
export type Ask = (path: string) => Effect.Effect<unknown, FilesError>

export type Supplied = ReturnType<typeof supplied>

export interface Rig {
  readonly files: Supplied
  /** The real path of the directory that may be reached. */
  readonly reach: string
  readonly outside: string
  readonly put: (path: string, content?: string | Uint8Array) => string
  readonly text: (path: string) => string
  /** The same place with other authority or options. */
  readonly holding: (encoded: Authority.Encoded, more?: More) => Supplied
}

export interface More extends NodeFiles.Options {
  readonly floor?: Floor
  readonly observe?: Holder["observe"]
  readonly sandbox?: Holder["sandbox"]
}

/** For programs that stand in for ripgrep, and write down what they were asked: nothing holds them. */
export const unheld: Holder["sandbox"] = { mode: "off", limits: {} }

export const all = (...patterns: ReadonlyArray<string>): Authority.Encoded => ({
  files: { read: patterns, write: patterns, delete: patterns }
})

export const rig = (options: NodeFiles.Options = {}): Effect.Effect<Rig, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-files-")))),
      (base) => Effect.sync(() => rmSync(base, { recursive: true, force: true }))
    ),
    (base) => {
      const [reach, outside] = [join(base, "reach"), join(base, "outside")]
      for (const path of [reach, outside]) mkdirSync(path)
      writeFileSync(join(outside, "secret"), SECRET)
      const put: Rig["put"] = (path, content = "") => {
        const full = join(reach, path)
        mkdirSync(dirname(full), { recursive: true })
        writeFileSync(full, content)
        return full
      }
      const holding: Rig["holding"] = (encoded, { floor, observe, sandbox, ...more } = {}) =>
        supplied(
          Files.make(
            scoped(
              holder({
                authority: Schema.decodeSync(Authority.FromJson)(encoded),
                tool: "tool",
                session: "session",
                ...(sandbox === undefined ? {} : { sandbox }),
                ...(floor === undefined ? {} : { floor }),
                ...(observe === undefined ? {} : { observe })
              }),
              { workdir: reach },
              NodeFiles.make({ ...options, ...more })
            )
          )
        )
      return {
        files: holding(all(`${reach}/`)),
        reach,
        outside,
        put,
        text: (path) => readFileSync(join(reach, path), "utf8"),
        holding
      }
    }
  )

export const refused = <A, R>(effect: Effect.Effect<A, FilesError, R>): Effect.Effect<FilesError, never, R> =>
  Effect.orDieWith(Effect.flip(effect), (value) => new Error(`not refused: ${JSON.stringify(value)}`))

export const codeOf = <A, R>(effect: Effect.Effect<A, FilesError, R>): Effect.Effect<string, never, R> =>
  Effect.map(refused(effect), ({ code }) => code)

/** All that is in a directory, by name and content, to see that nothing changed. */
export const snapshot = (directory: string): unknown =>
  readdirSync(directory, { withFileTypes: true })
    .map((entry) => {
      const path = join(directory, entry.name)
      return [
        entry.name,
        entry.isDirectory() ? snapshot(path) : entry.isFile() ? readFileSync(path, "utf8") : ""
      ]
    })
    .sort()

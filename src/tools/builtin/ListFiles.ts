/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Files } from "../../capabilities/files/Files.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { optional, path } from "./fields.js"

const LIMIT = 2000

/** A link may lead back to a directory above it. */
const DEPTH = 32

const Entry = Schema.Struct({
  name: Schema.String.annotations({ description: "The path, from the directory that was listed" }),
  kind: Schema.Literal("file", "directory", "other"),
  size: Schema.optionalWith(Schema.Finite, { exact: true }).annotations({ description: "In bytes" })
})

type Entry = typeof Entry.Type

/**
 * @since 0.1.0
 * @category tools
 */
export const listFiles = Tool.make({
  name: "list_files",
  description:
    `Lists a directory, or with recursive all that lies below it, up to ${LIMIT} entries. What cannot be reached is ` +
    "listed as other.",
  parameters: Schema.Struct({
    path,
    recursive: optional(Schema.Boolean, "Whether to list what is in the directories below, too")
  }),
  success: Schema.Struct({ path: Schema.String, entries: Schema.Array(Entry), truncated: Schema.Boolean }),
  readOnly: true,
  category: "files",
  outputIsUntrusted: true,
  needs: ["files.read"],
  capabilities: { fs_reach: { read: "from-personality" } },
  asks: ({ path }) => [Ask.read(path)],
  execute: ({ path, recursive = false }) =>
    Effect.gen(function* () {
      const root = path.endsWith("/") ? path : `${path}/`
      const entries: Array<Entry> = []
      let truncated = false
      let names: ReadonlyArray<string> = yield* Files.list(path)
      for (let depth = 1; names.length > 0; depth += 1) {
        const room = LIMIT - entries.length
        truncated = truncated || names.length > room
        const found = yield* Effect.forEach(inOrder(names).slice(0, room), (name) => entryAt(root, name), {
          concurrency: 8
        })
        entries.push(...found)
        const below = found.filter(({ kind }) => kind === "directory")
        if (!recursive || below.length === 0) break
        if (depth === DEPTH || entries.length >= LIMIT) {
          truncated = true
          break
        }
        names = (yield* Effect.forEach(below, ({ name }) => namesIn(root, name), { concurrency: 8 })).flat()
      }
      return { path, entries: entries.sort((a, b) => compare(a.name, b.name)), truncated }
    })
})

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const inOrder = (names: ReadonlyArray<string>): ReadonlyArray<string> => [...names].sort(compare)

const entryAt = (root: string, name: string) =>
  Files.stat(`${root}${name}`).pipe(
    Effect.map(({ kind, size }): Entry => (kind === "file" ? { name, kind, size } : { name, kind })),
    Effect.catchAll(() => Effect.succeed<Entry>({ name, kind: "other" }))
  )

/** A directory that may not be listed, or is gone by now, has nothing in it to be listed. */
const namesIn = (root: string, name: string) =>
  Files.list(`${root}${name}`).pipe(
    Effect.map((names) => names.map((child) => `${name}/${child}`)),
    Effect.catchAll(() => Effect.succeed<ReadonlyArray<string>>([]))
  )

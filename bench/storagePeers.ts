/** What the store is measured against: SQLite without anything around it, and lmdb with the options that it was used with. */
import { pathToFileURL } from "node:url"
import { load } from "../src/layers/node/storage/driver.js"

export interface Peer {
  readonly get: (key: string) => Promise<string | null>
  readonly getMany: (key: string, times: number) => Promise<unknown>
  readonly swap: (key: string, expected: string | null, value: string | null) => Promise<boolean>
  readonly close: () => Promise<unknown>
}

interface Measured {
  readonly name: string
  readonly peer: Peer
  /** What a new process does to open it and read. */
  readonly program: string
}

const READ = "SELECT value FROM entries WHERE key = ?"

export const sqlite = async (file: string): Promise<Measured> => {
  const connection = (await load())(file)
  connection.exec("PRAGMA journal_mode = truncate; PRAGMA synchronous = FULL")
  connection.exec("CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT) STRICT, WITHOUT ROWID")
  const get = (key: string): string | null =>
    connection.reading(({ first }) => {
      const value = first(READ, [key])?.[0]
      return typeof value === "string" ? value : null
    })
  const isBuiltin = process.getBuiltinModule?.("node:sqlite") !== undefined
  const open = isBuiltin
    ? `const { DatabaseSync } = await import("node:sqlite"); const d = new DatabaseSync(${JSON.stringify(file)})
       d.prepare("${READ}").get("counter")`
    : `const { default: D } = await import(${JSON.stringify(import.meta.resolve("libsql"))}); const d = new D(${JSON.stringify(file)})
       d.prepare("${READ}").get(["counter"])`
  return {
    name: isBuiltin ? "node:sqlite" : "libsql",
    program: open,
    peer: {
      get: async (key) => get(key),
      getMany: async (key, times) => {
        for (let i = 0; i < times; i++) get(key)
      },
      swap: async (key, expected, value) =>
        connection.writing(({ first, run }) => {
          if ((first(READ, [key])?.[0] ?? null) !== expected) return false
          if (value === null) run("DELETE FROM entries WHERE key = ?", [key])
          else run("INSERT OR REPLACE INTO entries VALUES (?, ?)", [key, value])
          return true
        }),
      close: async () => connection.close()
    }
  }
}

interface Lmdb {
  readonly resetReadTxn: () => void
  readonly getBinary: (key: Buffer) => Buffer | undefined
  readonly putSync: (key: Buffer, value: Buffer) => void
  readonly removeSync: (key: Buffer) => void
  readonly transaction: <A>(run: () => A) => Promise<A>
  readonly close: () => Promise<void>
}

const options = { overlappingSync: false, encoding: "binary", keyEncoding: "binary" }

export const lmdb = async (folder: string, path: string): Promise<Measured> => {
  const entry = JSON.stringify(pathToFileURL(`${folder}/node-index.js`).href)
  const { open }: { open: (given: object) => Lmdb } = await import(JSON.parse(entry))
  const store = open({ path, ...options })
  const read = (key: string): string | null => store.getBinary(Buffer.from(key))?.toString() ?? null
  const get = (key: string): string | null => {
    store.resetReadTxn()
    return read(key)
  }
  return {
    name: "lmdb",
    program: `const { open } = await import(${entry}); const d = open(${JSON.stringify({ path, ...options })})
      d.getBinary(Buffer.from("counter")); await d.close()`,
    peer: {
      get: async (key) => get(key),
      getMany: async (key, times) => {
        for (let i = 0; i < times; i++) get(key)
      },
      swap: (key, expected, value) =>
        store.transaction(() => {
          if (read(key) !== expected) return false
          if (value === null) store.removeSync(Buffer.from(key))
          else store.putSync(Buffer.from(key), Buffer.from(value))
          return true
        }),
      close: () => store.close()
    }
  }
}

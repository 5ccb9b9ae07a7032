/** A process of its own that looks into a store with the SQLite that it is told to use, adds to it, and says what it saw. */
import { builtin } from "../../../src/layers/node/storage/builtin.js"
import { libsql } from "../../../src/layers/node/storage/libsql.js"

const [driver = "", file = "", key = ""] = process.argv.slice(2)

const open = driver === "libsql" ? await libsql() : builtin()
const connection = open(file)
const seen = connection.reading(({ all }) => all("SELECT key, value FROM entries ORDER BY key", []))
const [integrity] = connection.reading(({ first }) => first("PRAGMA integrity_check", [])) ?? []
connection.writing(({ run }) =>
  run("INSERT INTO entries (namespace, key, bytes, value) VALUES ('session:s1', ?, 1, ?)", [key, driver])
)
connection.close()
console.log(JSON.stringify({ seen, integrity }))

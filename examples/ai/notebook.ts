/** What the agents of these examples work with: two tools, a policy, and a notebook in memory. */
import { Authority, Files, FilesBackend, Policy, Registry, Turn } from "bailiwick"
import { Layer, Logger, Schema } from "effect"
import { readNote, writeNote } from "./tools.js"

export const notebook = Registry.make(readNote, writeNote)

/** Everything below `/notes` may be read, and only drafts may be written. */
const policy = Policy.make({
  authority: Schema.decodeSync(Authority.FromJson)({
    files: { read: ["/notes/"], write: ["/notes/drafts/"] }
  })
})

export const turnOf = (session: string): Turn.Turn => Turn.make({ session, policy, workdir: "/notes" })

const notes = {
  "/notes/shopping.md": "apples, bread",
  "/notes/drafts/letter.md": "Dear Ada,"
}

/** On a real machine this is `NodeBackends.layer()` of `bailiwick/node`. */
export const layerNotebook = Layer.merge(
  Layer.sync(FilesBackend, () => FilesBackend.fromOperations(Files.memory(notes))),
  // Refusals are logged as warnings; here the conversation tells of them.
  Logger.remove(Logger.defaultLogger)
)

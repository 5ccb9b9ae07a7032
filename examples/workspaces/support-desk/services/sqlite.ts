/** The desk in SQLite: opened for a command, and closed at its end. */
import { fileURLToPath } from "node:url"
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import Database from "libsql"
import { Conversation, Desk, Message, NoSuchTicket, Ticket, TicketClosed } from "./Desk.ts"

export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{ readonly cause: unknown }> {}

const TABLES = `
  CREATE TABLE IF NOT EXISTS ticket (
    id INTEGER PRIMARY KEY, customer TEXT NOT NULL, subject TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'open'
  );
  CREATE TABLE IF NOT EXISTS message (
    id INTEGER PRIMARY KEY, ticket INTEGER NOT NULL REFERENCES ticket (id), author TEXT NOT NULL, text TEXT NOT NULL
  );
`

/** So that a new desk has something to try. */
const FIRST = `
  INSERT INTO ticket (id, customer, subject, status) VALUES
    (1, 'ada@example.com', 'The invoice shows the wrong address', 'open'),
    (2, 'bo@example.com', 'How do I export my data?', 'open'),
    (3, 'cy@example.com', 'Thank you', 'closed');
  INSERT INTO message (ticket, author, text) VALUES
    (1, 'ada@example.com', 'We moved in May. Please correct it.'),
    (2, 'bo@example.com', 'I cannot find the button.'),
    (3, 'cy@example.com', 'It works now.');
`

const open = (path: string): Database.Database => {
  const database = new Database(path)
  database.exec(TABLES)
  if (database.prepare("SELECT 1 FROM ticket").get([]) === undefined) database.exec(FIRST)
  return database
}

const rows = Schema.decodeUnknownSync(Schema.Array(Ticket))
const messages = Schema.decodeUnknownSync(Schema.Array(Message))

/** What a person types is no pattern. */
const within = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`

const desk = (database: Database.Database): Desk.Service => {
  const ticket = (id: number) =>
    Effect.suspend(() => {
      const [found] = rows(
        database.prepare("SELECT id, customer, subject, status FROM ticket WHERE id = ?").all([id])
      )
      return found === undefined ? new NoSuchTicket({ id }) : Effect.succeed(found)
    })
  return {
    find: ({ status, text }) =>
      Effect.sync(() =>
        rows(
          database
            .prepare(
              `SELECT id, customer, subject, status FROM ticket
               WHERE (subject LIKE ?1 ESCAPE '\\' OR customer LIKE ?1 ESCAPE '\\') AND (?2 IS NULL OR status = ?2)
               ORDER BY id DESC LIMIT 100`
            )
            .all([within(text), status ?? null])
        )
      ),
    show: (id) =>
      Effect.map(ticket(id), (found) =>
        Conversation.make({
          ...found,
          messages: messages(
            database.prepare("SELECT author, text FROM message WHERE ticket = ? ORDER BY id").all([id])
          )
        })
      ),
    answer: ({ id, text }) =>
      Effect.gen(function* () {
        const { status } = yield* ticket(id)
        if (status === "closed") return yield* new TicketClosed({ id })
        database.transaction(() => {
          database.prepare("INSERT INTO message (ticket, author, text) VALUES (?, 'desk', ?)").run([id, text])
          database.prepare("UPDATE ticket SET status = 'answered' WHERE id = ?").run([id])
        })()
      })
  }
}

export const layerAt = (path: string): Layer.Layer<Desk, DatabaseUnusable> =>
  Layer.scoped(
    Desk,
    Effect.acquireRelease(
      Effect.try({ try: () => open(path), catch: (cause) => new DatabaseUnusable({ cause }) }),
      (database) => Effect.sync(() => database.close())
    ).pipe(Effect.map(desk))
  )

/** `DESK_DATABASE`, or the file beside `bailiwick.yaml`. */
export const layer = Layer.unwrapEffect(
  Effect.map(
    Config.withDefault(
      Config.nonEmptyString("DESK_DATABASE"),
      fileURLToPath(new URL("../desk.db", import.meta.url))
    ),
    layerAt
  )
)

/** Writes a note. That it is a note, and stands among the notes, is not for the model to say. */
import { Records, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A title as the name of a file: `Call Ada, tomorrow!` is `call-ada-tomorrow`. */
const slug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 50) || "note"

export const jotNote = Tool.make({
  name: "jot_note",
  description: "Writes a new note; the answer has its id. A note of the same title is not replaced.",
  parameters: Schema.Struct({
    title: Schema.NonEmptyTrimmedString.annotations({ description: "A few words that say what it is about" }),
    text: Schema.String,
    tags: Schema.optionalWith(Schema.Array(Schema.NonEmptyTrimmedString), { default: () => [] })
  }),
  success: Schema.Struct({ id: Schema.String }),
  capabilities: { records: { verbs: ["create"], classes: ["note"] } },
  execute: ({ tags, text, title }) =>
    Effect.map(
      Records.create({
        id: `notes/${slug(title)}`,
        class: "note",
        frontMatter: { title, ...(tags.length === 0 ? {} : { tags }) },
        body: `${text.trimEnd()}\n`
      }),
      ({ id }) => ({ id })
    )
})

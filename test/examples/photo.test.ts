/** The example with a photo, in this process: what it prints is what it promises. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { program } from "../../examples/photo/program.js"

it.live(
  "a photo arrives by webhook; who declares images reads it, and who declares files does not see it",
  () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      yield* Effect.consoleWith((console) =>
        Effect.withConsole(program, {
          ...console,
          log: (line: unknown) => Effect.sync(() => void lines.push(line))
        })
      )
      expect(lines).toEqual([
        "forged: 401",
        '<attachments>\n<attachment ref="att-0" type="image" mimeType="image/jpeg" sizeBytes="19" />\n</attachments>\n\nWhat is on it?',
        "look_at_photo: a cat on a wall",
        'read_document: ATTACHMENT_NOT_FOUND: No attachment with ref "att-0"',
        "genuine: 200"
      ])
    })
)

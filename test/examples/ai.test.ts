/** The examples with a model, in this process: what they print is what they promise. */
import { expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { program as agent } from "../../examples/ai/agent.js"
import { program as prompt } from "../../examples/ai/prompt.js"
import { program as server } from "../../examples/ai/server.js"
import { program as streaming } from "../../examples/ai/streaming.js"

/** What a program prints, line by line. */
const printed = <E>(program: Effect.Effect<unknown, E>): Effect.Effect<ReadonlyArray<unknown>, E> =>
  Effect.consoleWith((console) => {
    const lines: Array<unknown> = []
    const log = (...said: ReadonlyArray<unknown>) =>
      Effect.sync(() => void lines.push(said.length === 1 ? said[0] : said))
    return program.pipe(
      Effect.withConsole({ ...console, log }),
      Effect.provide(Logger.remove(Logger.defaultLogger)),
      Effect.as(lines)
    )
  })

it.effect("the agent reads two notes at once, is refused, and finds another way", () =>
  Effect.gen(function* () {
    expect(yield* printed(agent)).toEqual([
      "> Put milk on my shopping list.",
      "  ✓ read_note: apples, bread",
      "  ✓ read_note: Dear Ada,",
      "  ✗ write_note: PATH_NOT_REACHABLE: write not permitted for /notes/shopping.md",
      "  ✓ write_note: wrote drafts/shopping.md",
      "I may write drafts only, so the new list is in drafts/shopping.md.",
      "What would have allowed it: fs.write{in=/notes/shopping.md}"
    ])
  })
)

it.effect("the stream has each word, and each result after its call", () =>
  Effect.gen(function* () {
    const lines = yield* printed(streaming)
    expect(lines.slice(0, 2)).toEqual(["said    Let", "said    me"])
    expect(lines.slice(-4)).toEqual([
      "calls   read_note shopping.md",
      "result  apples, bread",
      "calls   read_note /etc/passwd",
      "refused PATH_NOT_REACHABLE: read not permitted for /etc/passwd"
    ])
  })
)

it.live("the prompt has the skill that the agent may use, and the attachment that it opens", () =>
  Effect.gen(function* () {
    const [system, attachments, question, answer] = yield* printed(prompt)
    expect(system).toContain("issues: Reads issues.")
    expect(system).not.toContain("deploy")
    expect(attachments).toContain('ref="att-0"')
    expect(attachments).not.toContain("file:")
    expect(question).toBe("What does the letter say?")
    expect(answer).toMatchObject(["read_attachment", { content: "See issue 12." }])
  })
)

it.live("the application answers over HTTP, refuses, and ends", () =>
  Effect.gen(function* () {
    const lines = yield* printed(server)
    expect(lines[0]).toMatchObject(["GET /tools", [{ name: "read_note" }, { name: "write_note" }]])
    expect(lines.slice(1)).toEqual([
      "  ✓ read_note: apples, bread",
      'POST /ask "What is in shopping.md?" 200',
      { answer: "It says: apples, bread", refused: [] },
      "  ✗ read_note: PATH_NOT_REACHABLE: read not permitted for /etc/passwd",
      'POST /ask "What is in /etc/passwd ?" 200',
      { answer: "That is not mine to read.", refused: ["read /etc/passwd"] },
      'POST /ask "" 400'
    ])
  })
)

/**
 * An agent: ask the model, run what it calls, tell it what came of that, until it calls nothing more. The model wants
 * to write where it may not, reads the refusal, and finds another way.
 */
import { LanguageModel, Prompt } from "@effect/ai"
import type { Turn } from "bailiwick"
import { batch, toolkit } from "bailiwick/ai/effect"
import { Console, Effect } from "effect"
import { layerNotebook, notebook, turnOf } from "./notebook.js"
import { calls, layerScripted } from "./scripted.js"

const MOST_STEPS = 8

/** All calls of one answer are one batch: they run side by side, and share the budget of the turn. */
export const converse = (turn: Turn.Turn, asked: string) =>
  Effect.gen(function* () {
    let prompt = Prompt.make(asked)
    for (let step = 0; step < MOST_STEPS; step++) {
      const response = yield* LanguageModel.generateText({
        prompt,
        toolkit: toolkit(notebook, turn),
        disableToolCallResolution: true
      })
      if (response.toolCalls.length === 0) return response.text
      const results = yield* batch(notebook, turn, response.toolCalls)
      for (const { isFailure, name, result } of results) {
        yield* Console.log(isFailure ? `  ✗ ${name}: ${result.error}` : `  ✓ ${name}: ${result}`)
      }
      prompt = Prompt.merge(prompt, Prompt.fromResponseParts([...response.content, ...results]))
    }
    return "I need more steps than I have."
  })

const model = layerScripted([
  [calls("1", "read_note", { path: "shopping.md" }), calls("2", "read_note", { path: "drafts/letter.md" })],
  [calls("3", "write_note", { path: "shopping.md", content: "apples, bread, milk" })],
  [calls("4", "write_note", { path: "drafts/shopping.md", content: "apples, bread, milk" })],
  "I may write drafts only, so the new list is in drafts/shopping.md."
])

export const program = Effect.gen(function* () {
  const turn = turnOf("agent")
  yield* Console.log("> Put milk on my shopping list.")
  yield* Console.log(yield* converse(turn, "Put milk on my shopping list."))
  const refused = turn.transcript.events.filter(({ allowed }) => !allowed)
  for (const { remedy } of refused) yield* Console.log(`What would have allowed it: ${remedy}`)
}).pipe(Effect.provide(model), Effect.provide(layerNotebook))

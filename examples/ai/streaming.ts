/** A stream: words appear as the model says them, and tools run while it speaks. A tool that is refused ends nothing. */
import { LanguageModel } from "@effect/ai"
import { toolkit } from "bailiwick/ai/effect"
import { Console, Effect, Stream } from "effect"
import { layerNotebook, notebook, turnOf } from "./notebook.js"
import { calls, layerScripted } from "./scripted.js"

const model = layerScripted([
  [
    { type: "text", text: "Let me look into your notes." },
    calls("1", "read_note", { path: "shopping.md" }),
    calls("2", "read_note", { path: "/etc/passwd" })
  ]
])

export const program = LanguageModel.streamText({
  prompt: "What do I need to buy?",
  toolkit: toolkit(notebook, turnOf("streaming"))
}).pipe(
  Stream.runForEach((part) => {
    switch (part.type) {
      case "text-delta":
        return Console.log(`said    ${part.delta.trim()}`)
      case "tool-call":
        return Console.log(`calls   ${part.name} ${part.params.path}`)
      case "tool-result":
        return Console.log(part.isFailure ? `refused ${part.result.error}` : `result  ${part.result}`)
      default:
        return Effect.void
    }
  }),
  Effect.provide(model),
  Effect.provide(layerNotebook)
)

/** Threat: what the model is shown and what the registry checks differ. So the clients of two providers send a menu. */
import { LanguageModel } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Json } from "bailiwick/ai"
import { toolkit } from "bailiwick/ai/effect"
import { Effect } from "effect"
import { everything, turnOf } from "../registry/support.js"
import { atDesk, everyBuiltin } from "./desk.js"
import { sentToAnthropic, sentToOpenai } from "./providers.js"

const turn = turnOf(everything)

const asked = Effect.flatMap(toolkit(everyBuiltin, turn), (kit) =>
  LanguageModel.generateText({ prompt: "What is new?", toolkit: kit })
)

it.scopedLive("Anthropic gets each built-in tool of @effect/ai as the menu has it", () =>
  Effect.gen(function* () {
    const menu = yield* everyBuiltin.menu(turn)
    expect(menu).toHaveLength(everyBuiltin.tools.size)
    const { tools } = yield* sentToAnthropic(atDesk(asked))
    expect(tools).toEqual(Json.anthropic(menu))
  }).pipe(atDesk)
)

it.scopedLive("OpenAI gets them too, not strict where the client is told so", () =>
  Effect.gen(function* () {
    const menu = yield* everyBuiltin.menu(turn)
    const { tools } = yield* sentToOpenai(atDesk(asked), { strict: false })
    expect(tools).toEqual(Json.openai(menu))
    // Unless it is told, it sends strict tools, which take no optional parameters.
    const strict = yield* sentToOpenai(atDesk(asked))
    expect(strict.tools?.every((tool) => tool.strict === true)).toBe(true)
  }).pipe(atDesk)
)

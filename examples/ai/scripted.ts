/** A model that says what a script says, so that the examples need no network and no key. */
import { LanguageModel, type Prompt, type Response } from "@effect/ai"
import { Effect, Layer, Stream } from "effect"

/** What the model is shown of the conversation when it is its turn to speak. */
export interface Shown {
  readonly prompt: Prompt.Prompt
  readonly tools: ReadonlyArray<string>
}

export type Reply = string | ReadonlyArray<Response.PartEncoded>

/** One reply for each request; the last is repeated. */
export type Script = ReadonlyArray<Reply | ((shown: Shown) => Reply)>

/** The model asks for a tool. */
export const calls = (id: string, name: string, params: unknown): Response.PartEncoded => ({
  type: "tool-call",
  id,
  name,
  params
})

/** As a provider streams it: a text word by word, and everything else whole. */
const streamed = (part: Response.PartEncoded): ReadonlyArray<Response.StreamPartEncoded> => {
  if (part.type !== "text") return [part] as ReadonlyArray<Response.StreamPartEncoded>
  const words = part.text.match(/\S+\s*/g) ?? []
  return [
    { type: "text-start", id: "t" },
    ...words.map((delta) => ({ type: "text-delta" as const, id: "t", delta })),
    { type: "text-end", id: "t" }
  ]
}

/** `heard` gets what the model was shown, request by request. */
export const layerScripted = (
  script: Script,
  heard: Array<Shown> = []
): Layer.Layer<LanguageModel.LanguageModel> => {
  const reply = ({ prompt, tools }: LanguageModel.ProviderOptions): Array<Response.PartEncoded> => {
    const shown = { prompt, tools: tools.map(({ name }) => name) }
    const next = script[Math.min(heard.push(shown), script.length) - 1] ?? ""
    const said = typeof next === "function" ? next(shown) : next
    return typeof said === "string" ? [{ type: "text", text: said }] : [...said]
  }
  return Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: (options) => Effect.sync(() => reply(options)),
      streamText: (options) =>
        Stream.suspend(() => Stream.fromIterable(reply(options).flatMap(streamed))).pipe(Stream.rechunk(1))
    })
  )
}

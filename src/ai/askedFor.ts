/** The calls in what a provider answered. It is a stranger's JSON: what is not as it should be calls nothing. */
import { Either } from "effect"

/** A call as the model wrote it. `args` is a `Left` where its arguments are a text that is no JSON. */
export interface Asked {
  readonly id: string
  readonly name: string
  readonly args: Either.Either<unknown, string>
}

const property = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const listed = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const held = Array.isArray(value) ? value : property(value, key)
  return Array.isArray(held) ? held : []
}

/** Models write nothing where a tool takes nothing. */
const argumentsOf = (written: unknown): Asked["args"] => {
  if (written === undefined) return Either.right({})
  if (typeof written !== "string") return Either.right(written)
  if (written.trim() === "") return Either.right({})
  return Either.try({ try: () => JSON.parse(written) as unknown, catch: () => written })
}

const called = (id: unknown, name: unknown, args: unknown): Asked => ({
  id: text(id),
  name: text(name),
  args: argumentsOf(args)
})

export const openaiCalls = (response: unknown): ReadonlyArray<Asked> =>
  listed(response, "output")
    .filter((item) => property(item, "type") === "function_call")
    .map((item) => called(property(item, "call_id"), property(item, "name"), property(item, "arguments")))

export const openaiChatCalls = (response: unknown): ReadonlyArray<Asked> => {
  const [choice] = listed(response, "choices")
  return listed(property(choice, "message") ?? response, "tool_calls")
    .filter((call) => (property(call, "type") ?? "function") === "function")
    .map((call) => {
      const what = property(call, "function")
      return called(property(call, "id"), property(what, "name"), property(what, "arguments"))
    })
}

export const anthropicCalls = (response: unknown): ReadonlyArray<Asked> =>
  listed(response, "content")
    .filter((block) => property(block, "type") === "tool_use")
    .map((block) => called(property(block, "id"), property(block, "name"), property(block, "input")))

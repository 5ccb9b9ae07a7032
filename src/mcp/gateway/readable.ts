/** A form as a person may be shown it: nothing in it that a reader would not see. Values that go back stay as they are. */
import { visible } from "../../policy/text/Stranger.js"
import type * as Elicitation from "../../registry/inquiry/Elicitation.js"

const LONGEST_MESSAGE = 8192

const LONGEST_WORD = 1024

const word = (text: string): string => visible(text, LONGEST_WORD)

const choiceOf = ({ title, value }: { readonly title: string; readonly value: string }) => ({
  title: word(title),
  value
})

const choicesOf = ([first, ...rest]: Extract<Elicitation.Field, { readonly choices: unknown }>["choices"]) =>
  [choiceOf(first), ...rest.map(choiceOf)] as const

const fieldOf = (field: Elicitation.Field): Elicitation.Field => ({
  ...field,
  ...(field.title === undefined ? {} : { title: word(field.title) }),
  ...(field.description === undefined ? {} : { description: word(field.description) }),
  ...("choices" in field ? { choices: choicesOf(field.choices) } : {})
})

export const readable = ({ fields, message }: Elicitation.Request): Elicitation.Request => ({
  message: visible(message, LONGEST_MESSAGE),
  fields: fields.map(fieldOf)
})

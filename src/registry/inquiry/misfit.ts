/** Whether a value is what a field of a form asks for. */
import type { Field, Value } from "./Field.js"

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/

const DATE = /^\d{4}-\d{2}-\d{2}$/

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/

const isDay = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00Z`)
  return DATE.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const formats = {
  email: { fits: (text: string) => EMAIL.test(text), words: "it is no address of mail" },
  uri: { fits: (text: string) => URL.canParse(text), words: "it is no URI" },
  date: { fits: isDay, words: "it is no date; write it as in 2025-06-18" },
  "date-time": {
    fits: (text: string) => TIME.test(text) && !Number.isNaN(Date.parse(text)),
    words: "it is no time; write it as in 2025-06-18T12:00:00Z"
  }
}

type Of<T extends Field["_tag"]> = Extract<Field, { readonly _tag: T }>

const ofText = ({ format, maxLength, minLength }: Of<"Text">, value: Value): string | undefined => {
  if (typeof value !== "string") return "it is no text"
  const length = [...value].length
  if (minLength !== undefined && length < minLength) return `it has fewer than ${minLength} characters`
  if (maxLength !== undefined && length > maxLength) return `it has more than ${maxLength} characters`
  return format === undefined || formats[format].fits(value) ? undefined : formats[format].words
}

const ofNumber = ({ isWhole, maximum, minimum }: Of<"Number">, value: Value): string | undefined => {
  if (typeof value !== "number") return "it is no number"
  if (isWhole && !Number.isInteger(value)) return "it is no whole number"
  if (minimum !== undefined && value < minimum) return `it is less than ${minimum}`
  return maximum !== undefined && value > maximum ? `it is more than ${maximum}` : undefined
}

const isChoice = ({ choices }: Of<"OneOf" | "SomeOf">, value: Value): boolean =>
  choices.some((choice) => choice.value === value)

const ofSome = (field: Of<"SomeOf">, value: Value): string | undefined => {
  if (!Array.isArray(value)) return "it is no list"
  const { least, most } = field
  if (!value.every((one) => isChoice(field, one))) return "it is none of the choices"
  if (new Set(value).size < value.length) return "it names a choice twice"
  if (least !== undefined && value.length < least) return `it is fewer than ${least}`
  return most !== undefined && value.length > most ? `it is more than ${most}` : undefined
}

/**
 * Why a value does not fit a field, as a clause; nothing where it does.
 *
 * @since 0.1.0
 * @category deciding
 */
export const misfit = (field: Field, value: Value): string | undefined => {
  switch (field._tag) {
    case "Text":
      return ofText(field, value)
    case "Number":
      return ofNumber(field, value)
    case "YesNo":
      return typeof value === "boolean" ? undefined : "it is neither yes nor no"
    case "OneOf":
      return isChoice(field, value) ? undefined : "it is none of the choices"
    case "SomeOf":
      return ofSome(field, value)
  }
}

/** Why a request has no result, as JSON-RPC says it. */
import type { Answer } from "../protocol/Message.js"
import { codes } from "../protocol/Message.js"

export type Problem = Extract<Answer, { readonly error: unknown }>["error"]

export const problem = (code: keyof typeof codes, message: string, data?: unknown): Problem => ({
  code: codes[code],
  message,
  ...(data === undefined ? {} : { data })
})

/** A word of a stranger, short enough to be said back. */
export const said = (text: string): string =>
  JSON.stringify(text.length <= 80 ? text : `${text.slice(0, 80)}…`)

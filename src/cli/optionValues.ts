/** The values of options, read. Each throws a `CliError`. */
import { quote } from "../policy/text/Quote.js"
import { CliError } from "./CliError.js"

const MAX_PORT = 65_535

export const portOf = (option: string, text: string): number => {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= MAX_PORT) return port
  throw new CliError(
    `--${option} takes a port from 0 to ${MAX_PORT}, and ${quote(text)} is none; 0 takes a free one`
  )
}

export const sessionOf = (id: string | undefined): string | undefined => {
  if (id !== undefined && !/^[^\p{C}\s]{1,128}$/u.test(id)) {
    throw new CliError("--session takes one word of at most 128 characters")
  }
  return id
}

export const amountOf = (option: string, text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new CliError(`--${option} takes a number such as 20, and ${quote(text)} is none`)
}

export const digestOf = (option: string, text: string | undefined): string | undefined => {
  if (text === undefined || /^[\da-f]{64}$/i.test(text)) return text?.toLowerCase()
  throw new CliError(
    `--${option} takes a digest of 64 digits from 0 to f, as 'audit verify' printed it, and ${quote(text)} is none`
  )
}

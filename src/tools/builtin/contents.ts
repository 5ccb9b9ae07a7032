/** Bytes as a model can be given them: their exact text, or base64, and never text that is not quite what was there. */
import { Encoding as Base64, Schema } from "effect"
import { Encoding } from "./fields.js"

export const contents = {
  content: Schema.String.annotations({ description: "The exact text, or the bytes in base64" }),
  encoding: Encoding,
  totalLines: Schema.optionalWith(Schema.Int, { exact: true }).annotations({
    description: "How many lines there are in all, where that is known"
  }),
  truncated: Schema.Boolean.annotations({ description: "Whether there is more than was given" }),
  note: Schema.optionalWith(Schema.String, { exact: true })
}

const Contents = Schema.Struct(contents)

export type Contents = typeof Contents.Type

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Nothing when the bytes are not text: a NUL, or no UTF-8. */
export const exactText = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

export const inBase64 = (bytes: Uint8Array, truncated: boolean): Contents => ({
  content: Base64.encodeBase64(bytes),
  encoding: "base64",
  truncated
})

export const inText = (
  bytes: Uint8Array,
  { totalLines, truncated }: { readonly totalLines?: number | undefined; readonly truncated: boolean }
): Contents => {
  const content = exactText(bytes)
  if (content === undefined) {
    return {
      content: "",
      encoding: "utf8",
      truncated: true,
      note: `this is not text but ${bytes.length} bytes: ask again with encoding base64`
    }
  }
  return {
    content,
    encoding: "utf8",
    ...(totalLines === undefined ? {} : { totalLines }),
    truncated
  }
}

/** A last line counts with or without its end. */
export const countLines = (bytes: Uint8Array): number => {
  let lines = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE ? lines + 1 : lines
}

export const NEWLINE = 10

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Text as UTF-8; bytes as they are. */
export const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? encoder.encode(content) : content

/** UTF-8 as text; what is not UTF-8 becomes the replacement character. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Text as UTF-8; bytes as they are. */
export const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? encoder.encode(content) : content

/** UTF-8 as text; what is not UTF-8 becomes the replacement character. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)

/** All of them as one; one alone is itself. */
export const joined = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [first = new Uint8Array(0)] = chunks
  if (chunks.length < 2) return first
  const all = new Uint8Array(chunks.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

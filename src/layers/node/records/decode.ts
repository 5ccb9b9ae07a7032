/** Bytes as text; what is not UTF-8 is none. The mark at the start of a file stays in its text. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

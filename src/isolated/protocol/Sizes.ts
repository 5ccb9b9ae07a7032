/**
 * What a few bytes of JSON may be made into: a megabyte of `{}` is many megabytes of objects, and takes seconds to look
 * through.
 *
 * @since 0.1.0
 */
const [QUOTE, COMMA, LIST, BACKSLASH, RECORD] = [0x22, 0x2c, 0x5b, 0x5c, 0x7b]

/**
 * Whether JSON has more values than so many. A list and a record count twice; what stands in texts is not counted.
 *
 * @since 0.1.0
 * @category deciding
 */
export const hasMoreValues = (json: Uint8Array, most: number): boolean => {
  // A value and what stands before it take two bytes at the least.
  if (json.length < 2 * most) return false
  let values = 1
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) isText = !isText
    else if (isText && byte === BACKSLASH) at++
    else if (!isText && (byte === COMMA || byte === LIST || byte === RECORD) && ++values > most) return true
  }
  return false
}

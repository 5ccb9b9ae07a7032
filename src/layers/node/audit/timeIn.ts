/** The time of a line without parsing it: every entry begins alike. */

const BEFORE = Buffer.from('{"v":1,"time":"')
const LENGTH = "2026-11-18T09:00:00.000Z".length
const END = BEFORE.length + LENGTH

const DIGITS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$/

/** In ISO 8601, where later is larger; `undefined` where it has to be looked for. */
export const timeIn = (bytes: Buffer): string | undefined => {
  if (bytes.length <= END || bytes.compare(BEFORE, 0, BEFORE.length, 0, BEFORE.length) !== 0) return undefined
  const text = bytes.toString("latin1", BEFORE.length, END + 1)
  return DIGITS.test(text) ? text.slice(0, LENGTH) : undefined
}

import { FastCheck as fc } from "effect"

/**
 * Any character there is, for `unit` of `fc.string`. The unit "binary" of the library is the same, and keeps a table of a
 * million of them for as long as a worker lives.
 */
export const codePoint = fc
  .oneof(
    fc.integer({ min: 0, max: 0xff }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff })
  )
  .map((point) => String.fromCodePoint(point))

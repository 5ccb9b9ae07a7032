/** Every user downloads it, and every machine that builds theirs does so again. */
const atMost = 1_000_000

export const checkSize = (packed: number): ReadonlyArray<string> =>
  packed <= atMost
    ? []
    : [`the tarball has ${packed.toLocaleString("en")} bytes; at most are ${atMost.toLocaleString("en")}`]

/** What a bench prints: ratios, and what they may be at most, where that is said. */
export interface Row {
  readonly work: string
  readonly atMost?: number
  readonly ratios: ReadonlyArray<number>
}

export const progress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

export const print = (rows: ReadonlyArray<Row>): void => {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
  for (const { atMost, ratios, work } of rows) {
    const figures = ratios.map((ratio) => ratio.toFixed(2)).join(" / ")
    const isAbove = atMost !== undefined && ratios.some((ratio) => !(ratio <= atMost))
    const wanted = atMost === undefined ? "" : `   at most ${atMost}${isAbove ? "  <- above" : ""}`
    console.log(`${work.padEnd(74)} ${figures.padStart(20)}${wanted}`)
  }
}

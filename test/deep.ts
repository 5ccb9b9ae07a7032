/**
 * `npm run test:deep` runs ten times the cases, and the storms that take long. `npm test` keeps enough of each to catch a
 * law that is broken: `npm run test:mutants` breaks some, and sees that it does.
 */
export const deep = process.env.BAILIWICK_DEEP === "1"

/** So many cases; ten times that in the deep. */
export const times = (shallow: number): number => (deep ? shallow * 10 : shallow)

const drawn = (): number => (process.env.CI === "true" ? 1 : (Math.random() * 2 ** 31) | 0)

/**
 * What the cases are drawn from, unless it is given: in a pipeline always the same, so that a change is judged by what it
 * changes; elsewhere another each time.
 */
export const seed: number =
  process.env.BAILIWICK_SEED === undefined ? drawn() : Number(process.env.BAILIWICK_SEED)

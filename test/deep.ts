/**
 * `npm run test:deep` runs ten times the cases, and the storms that take long. `npm test` keeps enough of each to catch a
 * law that is broken.
 */
export const deep = process.env.BAILIWICK_DEEP === "1"

/** So many cases; ten times that in the deep. */
export const cases = (shallow: number): number => (deep ? shallow * 10 : shallow)

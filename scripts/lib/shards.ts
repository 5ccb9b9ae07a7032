/**
 * The unit tests in parts, one after the other, each with workers of its own. Test files share the modules that they
 * load, and what they leave behind adds up in a worker for as long as it lives.
 */
const PARTS = 6

/** The arguments of the test runner, part by part. */
export const shards: ReadonlyArray<ReadonlyArray<string>> = Array.from({ length: PARTS }, (_, index) => [
  "run",
  `--shard=${index + 1}/${PARTS}`
])

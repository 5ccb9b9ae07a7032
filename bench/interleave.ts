/** Medians of interleaved rounds: on a noisy machine what is compared must share its minutes. */

export interface Subject {
  readonly name: string
  readonly run: () => unknown
}

const ROUNDS = 15
const ROUND_NANOS = 20e6

const elapsed = (run: () => unknown, times: number): number => {
  const from = process.hrtime.bigint()
  for (let i = 0; i < times; i++) run()
  return Number(process.hrtime.bigint() - from)
}

const WARM_UP = 200

/** How many calls fill a round, once what is compiled on first use is compiled. */
const calibrate = (run: () => unknown): number => {
  elapsed(run, WARM_UP)
  for (let times = 1; ; times *= 2) if (elapsed(run, times) > ROUND_NANOS / 4) return times * 4
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Nanoseconds per call, by name. */
export const interleave = (
  subjects: ReadonlyArray<Subject>,
  progress: (text: string) => void
): ReadonlyMap<string, number> => {
  const calls = new Map(subjects.map(({ name, run }) => [name, calibrate(run)]))
  const rounds = new Map(subjects.map(({ name }): [string, Array<number>] => [name, []]))
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`round ${round} of ${ROUNDS}`)
    for (const { name, run } of subjects) {
      const times = calls.get(name) ?? 1
      rounds.get(name)?.push(elapsed(run, times) / times)
    }
  }
  return new Map([...rounds].map(([name, values]) => [name, median(values)]))
}

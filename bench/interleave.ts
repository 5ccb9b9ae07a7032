/** Medians of interleaved rounds: on a noisy machine what is compared must share its minutes. */

export interface Subject {
  readonly name: string
  readonly run: () => unknown
}

export interface Rounds {
  readonly count: number
  /** How long each subject runs in one of them. */
  readonly nanos: number
}

const USUAL: Rounds = { count: 15, nanos: 20e6 }

/** Many short ones, for what takes next to no time: who else uses the machine is then in few of them. */
export const SHORT: Rounds = { count: 100, nanos: 4e6 }

const elapsed = (run: () => unknown, times: number): number => {
  const from = process.hrtime.bigint()
  for (let i = 0; i < times; i++) run()
  return Number(process.hrtime.bigint() - from)
}

const WARM_UP = 200

/** How many calls fill a round, once what is compiled on first use is compiled. */
const calibrate = (run: () => unknown, nanos: number): number => {
  elapsed(run, WARM_UP)
  for (let times = 1; ; times *= 2) if (elapsed(run, times) > nanos / 4) return times * 4
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Nanoseconds per call, by name. */
export const interleave = (
  subjects: ReadonlyArray<Subject>,
  progress: (text: string) => void,
  { count, nanos }: Rounds = USUAL
): ReadonlyMap<string, number> => {
  const calls = new Map(subjects.map(({ name, run }) => [name, calibrate(run, nanos)]))
  const rounds = new Map(subjects.map(({ name }): [string, Array<number>] => [name, []]))
  for (let round = 1; round <= count; round++) {
    progress(`round ${round} of ${count}`)
    for (const { name, run } of subjects) {
      const times = calls.get(name) ?? 1
      rounds.get(name)?.push(elapsed(run, times) / times)
    }
  }
  return new Map([...rounds].map(([name, values]) => [name, median(values)]))
}

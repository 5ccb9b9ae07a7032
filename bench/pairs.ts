/** Two ways to do the same work that waits for something, in pairs of rounds: they share their moment. */
import { progress } from "./report.js"

type Run = () => Promise<unknown>

export interface Pair {
  readonly work: string
  readonly ours: Run
  readonly theirs: Run
  readonly atOnce: number
  /** How often it is done in one round. */
  readonly perRound: number
}

const ROUNDS = 60
const WARM_UP = 20

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const elapsed = async (run: Run, { atOnce, perRound }: Pair): Promise<number> => {
  const from = process.hrtime.bigint()
  for (let i = 0; i < perRound; i += atOnce) await Promise.all(Array.from({ length: atOnce }, run))
  return Number(process.hrtime.bigint() - from)
}

/** The median of what each pair of rounds gives, each first as often as the other. */
export const compare = async (pair: Pair): Promise<number> => {
  const { ours, theirs, work } = pair
  for (let i = 0; i < WARM_UP; i++) await Promise.all([elapsed(ours, pair), elapsed(theirs, pair)])
  const ratios: Array<number> = []
  for (let round = 0; round < ROUNDS; round++) {
    progress(`${work}: round ${round + 1} of ${ROUNDS}`)
    const first = await elapsed(round % 2 === 0 ? ours : theirs, pair)
    const second = await elapsed(round % 2 === 0 ? theirs : ours, pair)
    ratios.push(round % 2 === 0 ? first / second : second / first)
  }
  return median(ratios)
}

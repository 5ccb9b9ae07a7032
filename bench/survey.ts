/** A tree of 50,000 entries, looked through before a child starts: the first time, again, and after a change. */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import * as Survey from "../src/layers/node/sandbox/survey/Survey.js"
import * as Judge from "../src/policy/confinement/Judge.js"
import * as Floor from "../src/policy/gate/floor/Floor.js"
import { print, progress, type Row } from "./report.js"

const DIRECTORIES = 2500
const FILES = 20
const ROUNDS = 15

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const root = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-survey-")))

/** Fifty packages of fifty directories, with a credential here and there. */
const fill = (): void => {
  for (let i = 0; i < DIRECTORIES; i++) {
    const directory = join(root, `package-${i % 50}`, `src-${i}`)
    mkdirSync(directory, { recursive: true })
    for (let j = 0; j < FILES - 1; j++) writeFileSync(join(directory, `file-${j}.ts`), "")
    if (i % 100 === 0) writeFileSync(join(directory, ".netrc"), "")
  }
}

/** All of it was made just now, and is settled for a clock that is ahead. */
const now = () => Date.now() + 60_000

const judge = Judge.of({ ...Floor.standard, homes: ["/home/me"] })

const timed = async (survey: Survey.Survey) => {
  const from = performance.now()
  const { read } = await Effect.runPromise(survey.walk(root, judge))
  return { ms: performance.now() - from, read }
}

/** What any program has to do that lists all of it. */
const listed = (): number => {
  const from = performance.now()
  const pending = [root]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory()) pending.push(`${path}/${entry.name}`)
    }
  }
  return performance.now() - from
}

const round = async (number: number) => {
  progress(`survey: round ${number + 1} of ${ROUNDS}`)
  const bare = listed()
  const survey = Survey.make({ now })
  const first = await timed(survey)
  const again = await timed(survey)
  writeFileSync(join(root, "package-7", `made-${number}`), "")
  const changed = await timed(survey)
  if (changed.read !== 1) throw new Error(`${changed.read} directories were read again`)
  return { bare, first: first.ms, again: again.ms, changed: changed.ms }
}

try {
  fill()
  const rounds: Array<Awaited<ReturnType<typeof round>>> = []
  for (let number = 0; number < ROUNDS; number++) rounds.push(await round(number))
  const row = (work: string, atMost: number, part: "first" | "again" | "changed"): Row => {
    const ms = median(rounds.map((one) => one[part])).toFixed(0)
    return { work: `${work} (${ms} ms)`, atMost, ratios: [median(rounds.map((one) => one[part] / one.bare))] }
  }
  print([
    row("50,000 entries looked through the first time / listed", 10, "first"),
    row("50,000 entries looked through again / listed", 1, "again"),
    row("50,000 entries after a change in one directory / listed", 1, "changed")
  ])
} finally {
  rmSync(root, { recursive: true, force: true })
}

/** The log as it goes on, until somebody has seen enough. */
import { Cause, Effect, Exit } from "effect"
import { asJson } from "../../report/SafeJson.js"
import { terminal } from "../../report/Terminal.js"
import type { Asked } from "./Asked.js"
import { Newest } from "./core/Newest.js"
import { rowsOf } from "./core/Rows.js"
import { Summing } from "./core/Summary.js"
import { byPlace, type Item, Joining, type Listener } from "./core/Work.js"
import { Printed } from "./printed.js"
import { summaryText } from "./summaryText.js"
import { Table } from "./table.js"
import { tailOf } from "./tailOf.js"

/** What becomes of what is new: all of one look together. */
interface Following {
  readonly joining: Joining
  /** What is complete, and the end of a look. */
  readonly items: (items: ReadonlyArray<Item>) => void
  readonly looked: () => void
}

/** A line an entry, as the log has them; what was there before only as far as it is asked for. */
const asLines = ({ filter }: Asked, printed: Printed, most: number): Following => {
  const before = new Newest<string>(most)
  let isBefore = true
  const add = (line: string): void => (isBefore ? before.add(line) : printed.add(line))
  const each = (entry: unknown): void => add(`${asJson(entry)}\n`)
  const listener: Listener = { decision: each, call: each, gap: each }
  return {
    joining: new Joining(filter, listener),
    items: () => {},
    looked: () => {
      if (isBefore) for (const line of before.items) printed.add(line)
      isBefore = false
    }
  }
}

const asTable = ({ around, filter }: Asked, printed: Printed, most: number, decisions: number): Following => {
  const shownOn = terminal({ ...around.stdout, env: around.env })
  const table = new Table(shownOn)
  const summing = new Summing()
  const before = new Newest<Item>(most, byPlace)
  let isBefore = true
  const shown = (item: Item) => rowsOf(item, decisions)
  const joining = new Joining(filter, summing)
  const first = (): void => {
    isBefore = false
    printed.add(`${summaryText(shownOn, summing.summary(), [])}\n`)
    for (const item of before.items) table.see(shown(item))
    for (const item of before.items) printed.add(table.text(shown(item)))
  }
  const items = (all: ReadonlyArray<Item>): void => {
    for (const item of all) {
      if (isBefore) before.add(item)
      else printed.add(table.text(shown(item)))
    }
  }
  return {
    joining,
    items,
    looked: () => {
      // Whoever waits wants to see a refusal now, and not when its call ends.
      items(joining.end())
      if (isBefore) first()
    }
  }
}

/** Once: `audit` without `--follow` says which. */
const LEFT_OUT = "bailiwick: lines of the log that are no entries of this version are left out"

const WAITING = "waiting for what comes; Ctrl-C ends"

export const follow = async (
  asked: Asked,
  { decisions, json, most }: { readonly decisions: number; readonly json: boolean; readonly most: number }
): Promise<number> => {
  const { around, filter, log } = asked
  // Asked for before anything is seen: whoever sees something may end it.
  const { signal } = around
  const printed = new Printed(around.print)
  const following = json ? asLines(asked, printed, most) : asTable(asked, printed, most, decisions)
  const tail = await tailOf(log, filter.since, around.complain)
  const left = new AbortController()
  let printing = Promise.resolve()
  const look = (): void => {
    const { leftOut } = tail
    tail.look((entry) => following.items(following.joining.add(entry)))
    following.looked()
    if (leftOut === 0 && tail.leftOut > 0) around.complain(LEFT_OUT)
    printing = printing
      .then(() => printed.rest())
      .then(() => {
        if (around.hasReader?.() === false) left.abort()
      })
  }
  look()
  await printing
  if (around.stderr.isTTY && !json) around.complain(WAITING)
  const failing = Effect.promise(
    () => new Promise<void>((done) => left.signal.addEventListener("abort", () => done()))
  )
  const exit = await Effect.runPromiseExit(Effect.scoped(Effect.zipRight(tail.watched(look), failing)), {
    signal
  })
  await printing
  if (Exit.isSuccess(exit)) return 0
  throw Cause.squash(exit.cause)
}

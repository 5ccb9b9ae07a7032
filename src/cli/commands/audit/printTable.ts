/** The log as a table below a summary of it. */
import { seen } from "../../../policy/text/Quote.js"
import { count } from "../../report/Table.js"
import { type Terminal, terminal, wrap } from "../../report/Terminal.js"
import { type Asked, type Findings, survey } from "./Asked.js"
import { Newest } from "./core/Newest.js"
import { rowsOf } from "./core/Rows.js"
import { byPlace, type Item } from "./core/Work.js"
import { nothing } from "./nothing.js"
import { Printed } from "./printed.js"
import { missing, summaryText } from "./summaryText.js"
import { Table } from "./table.js"

interface Extent {
  /** How many of the newest calls; without a number, all. */
  readonly calls: number | undefined
  /** How many decisions of each. */
  readonly decisions: number
}

const lines = (shownOn: Terminal, sentences: ReadonlyArray<string>): string =>
  sentences
    .flatMap((one) => (shownOn.isTTY ? wrap(seen(one), shownOn.columns) : [seen(one)]))
    .map((line) => `${line}\n`)
    .join("")

const leftText = (shownOn: Terminal, left: number): string =>
  left === 0
    ? ""
    : lines(shownOn, [
        `${count(left, "older call is", "older calls are")} not shown; --all shows all, --limit N as many`
      ])

/** Nothing is printed before all was read once. */
export const printTable = async (asked: Asked, { calls, decisions }: Extent): Promise<void> => {
  const { around } = asked
  const shownOn = terminal({ ...around.stdout, env: around.env })
  const table = new Table(shownOn)
  const printed = new Printed(around.print)
  const newest = new Newest<Item>(calls ?? 0, byPlace)
  const shown = (item: Item) => rowsOf(item, decisions)
  const found = await survey(asked, (items) => {
    for (const item of items) {
      newest.add(item)
      if (calls === undefined) table.see(shown(item))
    }
  })
  const sentences = nothing(asked, found)
  if (sentences.length > 0)
    return around.print(
      lines(shownOn, [...sentences, ...missing(found.summing.summary()), ...found.warnings])
    )
  printed.add(`${summaryText(shownOn, found.summing.summary(), found.warnings)}\n`)
  if (calls === undefined) await printAll(asked, found, printed, (item) => table.text(shown(item)))
  else {
    printed.add(leftText(shownOn, newest.left))
    for (const item of newest.items) table.see(shown(item))
    for (const item of newest.items) printed.add(table.text(shown(item)))
  }
  await printed.rest()
}

/** The log is read a second time; what was written meanwhile is not counted above, and left out. */
const printAll = async (
  asked: Asked,
  { read }: Findings,
  printed: Printed,
  text: (item: Item) => string
): Promise<void> => {
  await survey(
    asked,
    async (items) => {
      for (const item of items) {
        printed.add(text(item))
        await printed.some()
      }
    },
    { most: read }
  )
}

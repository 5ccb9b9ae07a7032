/**
 * The page of an audit log with a hundred thousand decisions, in a Chromium of the system: how long until it is open, and
 * until what was typed is shown. In milliseconds, because what counts is whether a person waits.
 */
import { mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Chromium } from "../scripts/browser/Chromium.js"
import type { Tab } from "../scripts/browser/Tab.js"
import { sampleEntries, samplePage, writeSample } from "../scripts/page/sample.js"
import { template } from "../scripts/page/template.js"
import { pageOf } from "../src/cli/commands/audit/page/Page.js"

const CALLS = 98_500
const ROUNDS = 7

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const row = (work: string, values: ReadonlyArray<number>, atMost?: number): void => {
  const figures = `${Math.round(median(values))} ms (at most ${Math.round(Math.max(...values))})`
  console.log(
    `${work.padEnd(74)} ${figures.padStart(24)}${atMost === undefined ? "" : `   wanted: ${atMost} ms`}`
  )
}

/** From the beginning of the navigation until all parts are drawn. */
const opening = async (tab: Tab, url: string): Promise<number> => {
  await tab.open("about:blank")
  await tab.open(url)
  await tab.until("document.querySelector('.whole .row') !== null && document.querySelector('.bar') !== null")
  await tab.drawn()
  return tab.evaluate("performance.now()")
}

/** From each letter until the frame after it. */
const typing = (tab: Tab, text: string): Promise<ReadonlyArray<number>> =>
  tab.evaluate(`(async () => {
    const input = document.querySelector("input[type=search]")
    const frame = () => new Promise((done) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => done()
      port2.postMessage(0)
    }))
    const times = []
    for (let length = 0; length <= ${text.length}; length++) {
      await frame()
      const from = performance.now()
      input.value = ${JSON.stringify(text)}.slice(0, length)
      input.dispatchEvent(new InputEvent("input", { bubbles: true }))
      await frame()
      times.push(performance.now() - from)
    }
    return times
  })()`)

const folder = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-page-")))
const browser = Chromium.start()
try {
  writeSample(folder)
  const entries = sampleEntries(folder, CALLS)
  const input = await samplePage(folder, entries)
  const whole = await template()
  const from = performance.now()
  const html = await pageOf(input, whole)
  row("the page is made of 100,000 decisions", [performance.now() - from])
  const file = join(folder, "page.html")
  writeFileSync(file, html)
  console.log(`${"its size".padEnd(74)} ${`${(statSync(file).size / 1e6).toFixed(1)} MB`.padStart(24)}`)
  const tab = await browser.tab()
  await tab.view({ width: 1280, height: 800 })
  const url = pathToFileURL(file).href
  const times: Array<number> = []
  for (let round = 0; round < ROUNDS; round++) times.push(await opening(tab, url))
  row("it is open", times, 2000)
  const typed: Array<number> = []
  for (const text of ["parquet", "mirror.example", "git with 1", "HOST_NOT"])
    typed.push(...(await typing(tab, text)))
  row("a letter is typed, and what it leaves is shown", typed, 100)
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}

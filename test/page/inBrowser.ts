/** Pages in a Chromium of the system: one browser for a file of tests, a tab for each test. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe } from "vitest"
import { Chromium } from "../../scripts/browser/Chromium.js"
import type { Tab, Viewport } from "../../scripts/browser/Tab.js"
import { has } from "../../scripts/lib/system.js"
import { sampleEntries, samplePage, writeSample } from "../../scripts/page/sample.js"
import type { AuditEntry } from "../../src/audit/AuditEntry.js"
import { type PageInput, pageOf } from "../../src/cli/commands/audit/page/Page.js"

export const WIDE: Viewport = { width: 1280, height: 800 }

export interface InBrowser {
  /** A folder that goes when the tests are done. */
  readonly folder: () => string
  readonly tab: (view?: Viewport) => Promise<Tab>
  /** The address of a page, which is a file. */
  readonly written: (input: PageInput) => Promise<string>
  /** The made-up workspace, a log of it, and the address of its page. */
  readonly sample: () => Promise<{
    readonly entries: ReadonlyArray<AuditEntry>
    readonly input: PageInput
    readonly url: string
  }>
}

const CALLS = 600

/** Where there is no browser, its tests are left out. */
export const inBrowser = (name: string, tests: (browser: InBrowser) => void): void => {
  describe.skipIf(!has("chromium"))(name, () => {
    let browser: Chromium | undefined
    let folder = ""
    let pages = 0
    beforeAll(() => {
      folder = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-page-")))
      browser = Chromium.start()
    })
    afterAll(async () => {
      await browser?.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const tab = async (view = WIDE): Promise<Tab> => {
      if (browser === undefined) throw new Error("there is no browser")
      const made = await browser.tab()
      await made.view(view)
      // Nothing that moves has to be waited for, and times are the same everywhere.
      await made.media({ "prefers-reduced-motion": "reduce", "prefers-color-scheme": "light" })
      await made.send("Emulation.setTimezoneOverride", { timezoneId: "Europe/Berlin" })
      return made
    }
    const written = async (input: PageInput): Promise<string> => {
      pages += 1
      const file = join(folder, `page-${pages}.html`)
      writeFileSync(file, await pageOf(input))
      return pathToFileURL(file).href
    }
    const made = async () => {
      const root = join(folder, "workspace")
      writeSample(root)
      const entries = sampleEntries(root, CALLS)
      const input = await samplePage(root, entries)
      return { entries, input, url: await written(input) }
    }
    let sample: ReturnType<typeof made> | undefined
    tests({
      folder: () => folder,
      tab,
      written,
      sample: () => {
        sample ??= made()
        return sample
      }
    })
  })
}

/** The texts of all that a selector finds. */
export const texts = (tab: Tab, selector: string): Promise<ReadonlyArray<string>> =>
  tab.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.textContent.trim())`
  )

export const textOf = (tab: Tab, selector: string): Promise<string> =>
  tab.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent.trim() ?? ""`)

/** What has the focus: its role or name of element, and its text. */
export const focused = (tab: Tab): Promise<string> =>
  tab.evaluate(
    `(() => { const { role, tagName, textContent } = document.activeElement; return [role || tagName.toLowerCase(), textContent.trim()].join(" ") })()`
  )

export const hash = (tab: Tab): Promise<string> => tab.evaluate("location.hash")

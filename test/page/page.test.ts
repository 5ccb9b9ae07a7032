/** The page in a browser: it shows what the log says, and nothing else; it asks nobody for anything. */
import { afterEach, expect, it } from "vitest"
import type { Tab } from "../../scripts/browser/Tab.js"
import type { Decision } from "../../src/audit/AuditEntry.js"
import { focused, hash, inBrowser, textOf, texts } from "./inBrowser.js"

inBrowser("the page of an audit log", ({ sample, tab: newTab, written }) => {
  let open: Tab | undefined

  const opened = async (url: string): Promise<Tab> => {
    const tab = await newTab()
    open = tab
    await tab.open(url)
    await tab.until("document.querySelector('main') !== null")
    return tab
  }

  const decisionsOf = async () => {
    const { entries, url } = await sample()
    const decisions = entries.filter((entry): entry is Decision => entry.type === "decision")
    return { entries, decisions, url }
  }

  const result = (tab: Tab) => textOf(tab, ".result")

  const some = (count: number): string => count.toLocaleString("en")

  afterEach(async () => {
    expect(open?.complaints).toEqual([])
    expect(open?.requests.filter((one) => !/^file:.*\/page-\d+\.html$/.test(one))).toEqual([])
    await open?.close()
    open = undefined
  })

  it("shows its parts in the order in which a person wants to see them", async () => {
    const { url } = await decisionsOf()
    const tab = await opened(url)
    expect(await texts(tab, "h1, h2")).toEqual([
      "Audit",
      "What agents may touch",
      "What they did",
      "What was never used",
      "What each tool touches",
      "Decisions"
    ])
  })

  it("counts what the log holds", async () => {
    const { decisions, entries, url } = await decisionsOf()
    const tab = await opened(url)
    const refused = decisions.filter(({ allowed }) => !allowed)
    const calls = entries.filter(({ type }) => type === "call")
    expect((await texts(tab, ".figure strong")).slice(0, 3)).toEqual(
      [calls, decisions, refused].map((all) => some(all.length))
    )
    expect(await result(tab)).toBe(`${some(decisions.length)} decisions`)
  })

  it("has for each agent and capability how much is at stake and how often it was used", async () => {
    const { decisions, url } = await decisionsOf()
    const tab = await opened(url)
    const cell = (agent: string, capability: string) =>
      tab.evaluate<string>(`(() => {
        const row = [...document.querySelectorAll(".matrix tbody tr")].find((one) => one.querySelector(".who").textContent === ${JSON.stringify(agent)})
        return [...row.querySelectorAll("td .hidden")].map((one) => one.textContent).find((one) => one.startsWith(${JSON.stringify(`${capability}:`)}))
      })()`)
    const of = (agent: string, capability: string, isAllowed: boolean): number =>
      decisions.filter(
        (one) => one.agent === agent && one.capability === capability && one.allowed === isAllowed
      ).length
    const times = (count: number) => `${some(count)} ${count === 1 ? "time" : "times"}`
    const [agent, get] = ["agents/researcher", "network.get"]
    expect(await cell(agent, get)).toBe(
      `${get}: medium risk, 1 grant, used ${times(of(agent, get, true))}, refused ${times(of(agent, get, false))}`
    )
    expect(await cell("agents/release-bot", "network.put")).toBe(
      "network.put: high risk, 1 grant, never used"
    )
    expect(await cell("agents/researcher", "files.read")).toBe("files.read: not held")
  })

  it("opens the grants behind a cell, each with its file and line", async () => {
    const { url } = await decisionsOf()
    const tab = await opened(url)
    await tab.evaluate(
      `[...document.querySelectorAll(".matrix button")].find((one) => one.textContent.includes("secrets.read: high")).click()`
    )
    await tab.until("document.querySelector('dialog[open]') !== null")
    expect(await textOf(tab, "dialog h3")).toBe("agents/release-bot secrets.read")
    expect(await textOf(tab, "dialog .grants")).toBe(
      "secrets.read{refs=[GITHUB_TOKEN,NPM_TOKEN]}records/agents/release-bot.md:11"
    )
    expect(await texts(tab, "dialog .asked code")).toEqual(["secret GITHUB_TOKEN"])
    await tab.evaluate("document.querySelector('dialog .primary').click()")
    await tab.until("document.querySelector('dialog') === null")
    expect(await hash(tab)).toBe("#agent=agents%2Frelease-bot&capability=secrets.read")
  })

  it("tells what was never used, with its file and line, the most consequential first", async () => {
    const { url } = await decisionsOf()
    const tab = await opened(url)
    const caretaker = await tab.evaluate<string>(
      `[...document.querySelectorAll(".holder")].find((one) => one.textContent.startsWith("agents/caretaker")).textContent`
    )
    expect(caretaker).toContain("made no calls; 4 of 4 grants never used")
    expect(caretaker).toContain("highagent.grant{id=agents/researcher}records/agents/caretaker.md:7")
    const others = await texts(tab, ".holder h3")
    expect(others).toContain("agents/release-bot")
    expect(await texts(tab, ".holder code")).toContain("net.put{hosts=[api.github.com]}")
    expect(await texts(tab, ".holder code")).not.toContain("net.post{hosts=[api.github.com]}")
  })

  it("has the surface of each tool, and how often it was called", async () => {
    const { entries, url } = await decisionsOf()
    const tab = await opened(url)
    const calls = entries.filter((entry) => entry.type === "call" && entry.tool === "web_fetch").length
    const row = await tab.evaluate<ReadonlyArray<string>>(
      `[...[...document.querySelectorAll(".tools tbody tr")].find((one) => one.textContent.startsWith("web_fetch")).cells].map((one) => one.textContent)`
    )
    expect(row.slice(0, 4)).toEqual(["web_fetchbuiltin", "high", "network *", some(calls)])
    expect(await tab.evaluate("document.querySelectorAll('.tools tbody tr').length")).toBe(12)
    await tab.click(".tools + .more")
    expect(await texts(tab, ".tools tbody .who")).toContain("grant_capability")
  })

  it("says that nothing is known of a tool that is in the log alone, and not that nothing is at stake", async () => {
    const { entries } = await sample()
    const tab = await opened(await written({ about: "elsewhere", entries, generated: 0 }))
    expect(new Set(await texts(tab, ".tools .at-stake"))).toEqual(new Set(["not known"]))
  })

  it("has its times inside of the frame, however short the log is", async () => {
    const time = (second: number) => new Date(Date.UTC(2026, 0, 30, 10, 0, second)).toISOString()
    const who = { v: 1, session: "s", revision: "r", origin: "host", tool: "t" } as const
    const calls = [0, 3].map((second) => ({
      ...who,
      type: "call" as const,
      time: time(second),
      call: `${second}`,
      code: "ok" as const,
      ms: 1
    }))
    const tab = await opened(await written({ about: "short", entries: calls, generated: 0 }))
    const [frame, last] = await tab.evaluate<[number, number]>(
      `[document.querySelector("svg:has(.tick)").getBoundingClientRect().right, Math.max(...[...document.querySelectorAll("svg .label")].map((one) => one.getBoundingClientRect().right))]`
    )
    expect(last).toBeLessThanOrEqual(frame)
  })

  it("lists decisions, the latest first", async () => {
    const { decisions, url } = await decisionsOf()
    const tab = await opened(url)
    const latest = decisions.at(-1)
    const [first = ""] = await texts(tab, ".whole .row")
    expect(first).toContain(latest?.asked)
    expect(first).toContain(latest?.tool)
    expect(await tab.evaluate("document.querySelector('.list').ariaRowCount")).toBe(
      String(decisions.length + 1)
    )
    expect(await tab.evaluate<number>("document.querySelectorAll('.whole .row').length")).toBeLessThan(60)
  })

  it("filters while one types, and keeps what is chosen in the address", async () => {
    const { decisions, url } = await decisionsOf()
    const tab = await opened(url)
    await tab.evaluate("document.querySelector('input[type=search]').focus()")
    await tab.type("EXAMPLE.net")
    const found = decisions.filter(({ asked }) => asked.includes("example.net"))
    expect(await result(tab)).toBe(`${some(found.length)} of ${some(decisions.length)} decisions`)
    expect(await hash(tab)).toBe("#q=EXAMPLE.net")
    await tab.evaluate(`(() => {
      const select = [...document.querySelectorAll("label")].find((one) => one.textContent.startsWith("Agent")).querySelector("select")
      select.value = "agents/researcher"
      select.dispatchEvent(new Event("change", { bubbles: true }))
    })()`)
    await tab.drawn()
    const own = found.filter(({ agent }) => agent === "agents/researcher")
    expect(own.length).toBeGreaterThan(0)
    expect(await result(tab)).toBe(`${some(own.length)} of ${some(decisions.length)} decisions`)
    await tab.click(".only input")
    const address = await hash(tab)
    expect(address).toBe("#agent=agents%2Fresearcher&q=EXAMPLE.net&denied=1")
    const rows = await texts(tab, ".whole .row")

    const again = await newTab()
    await again.open(`${url}${address}`)
    await again.until("document.querySelector('.result') !== null")
    expect(await texts(again, ".whole .row")).toEqual(rows)
    expect(await again.evaluate("document.querySelector('input[type=search]').value")).toBe("EXAMPLE.net")
    await again.click(".clear")
    expect([await hash(again), await result(again)]).toEqual(["", `${some(decisions.length)} decisions`])
    await again.close()
  })

  it("selects a stretch of the timeline, which the list follows", async () => {
    const { decisions, url } = await decisionsOf()
    const tab = await opened(url)
    await tab.drag(".timeline", 0.3, 0.6)
    const given = new URLSearchParams((await hash(tab)).slice(1))
    const [since = "", until = ""] = [given.get("since") ?? "", given.get("until") ?? ""]
    const within = decisions.filter(({ time }) => time >= since && time <= until)
    expect(within.length).toBeGreaterThan(0)
    expect(within.length).toBeLessThan(decisions.length)
    expect(await result(tab)).toBe(`${some(within.length)} of ${some(decisions.length)} decisions`)
    await tab.evaluate("document.querySelector('.timeline-head button').click()")
    await tab.drawn()
    expect([await hash(tab), await result(tab)]).toEqual(["", `${some(decisions.length)} decisions`])
  })

  it("draws a refusal among many calls, where it is seen", async () => {
    const { decisions, url } = await decisionsOf()
    const tab = await opened(`${url}#agent=researcher`)
    const heights = await tab.evaluate<ReadonlyArray<number>>(
      "[...document.querySelectorAll('.bar.refused')].map((one) => one.getBoundingClientRect().height)"
    )
    expect(decisions.some(({ agent, allowed }) => !allowed && agent === "agents/researcher")).toBe(true)
    expect(heights.length).toBeGreaterThan(0)
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(4)
  })

  it("is walked by the keyboard: the matrix by arrows, Enter opens, Escape closes and goes back", async () => {
    const { url } = await decisionsOf()
    const tab = await opened(url)
    await tab.evaluate("document.querySelector('.matrix [tabindex=\"0\"]').focus()")
    expect(await focused(tab)).toContain("network.get: medium risk")
    await tab.press("ArrowRight")
    expect(await focused(tab)).toBe("gridcell network.post: not held")
    await tab.press("End")
    expect(await focused(tab)).toContain("agents.grant: high risk")
    await tab.press("Home")
    await tab.press("ArrowDown")
    await tab.press("ArrowDown")
    expect(await focused(tab)).toContain("network.get: medium risk, 1 grant, used")
    await tab.press("Enter")
    await tab.until("document.querySelector('dialog[open]') !== null")
    expect(await textOf(tab, "dialog h3")).toBe("agents/release-bot network.get")
    await tab.press("Escape")
    await tab.until("document.querySelector('dialog') === null")
    expect(await focused(tab)).toContain("network.get: medium risk, 1 grant, used")
    expect(await tab.evaluate("document.querySelectorAll('.matrix [tabindex=\"0\"]').length")).toBe(1)
  })

  it("is walked by the keyboard: the list by arrows, to its very end", async () => {
    const { decisions, url } = await decisionsOf()
    const tab = await opened(url)
    await tab.evaluate("document.querySelector('.whole [tabindex=\"0\"]').focus()")
    await tab.press("ArrowDown")
    expect(await focused(tab)).toContain(decisions.at(-2)?.asked)
    await tab.press("End")
    expect(await focused(tab)).toContain(decisions[0]?.asked)
    expect(await tab.evaluate("document.activeElement.ariaRowIndex")).toBe(String(decisions.length + 1))
    expect(
      await tab.evaluate(`(() => {
        const [row, list] = [document.activeElement, document.querySelector(".scroller")].map((one) => one.getBoundingClientRect())
        return row.bottom <= list.bottom + 1 && row.top >= list.top
      })()`)
    ).toBe(true)
    await tab.press("Enter")
    await tab.until("document.querySelector('dialog[open]') !== null")
    expect(await textOf(tab, ".asked-whole")).toBe(decisions[0]?.asked)
    await tab.press("Escape")
    await tab.until("document.querySelector('dialog') === null")
    expect(await focused(tab)).toContain(decisions[0]?.asked)
    await tab.press("Home")
    expect(await focused(tab)).toContain(decisions.at(-1)?.asked)
  })

  it("is walked by the keyboard: stretches of the timeline are read and selected", async () => {
    const { url } = await decisionsOf()
    const tab = await opened(url)
    await tab.evaluate("document.querySelector('.timeline').focus()")
    const said = () => tab.evaluate<string>("document.activeElement.ariaValueText")
    const last = await said()
    expect(last).toMatch(/^18 Nov, \d\d:\d\d – \d\d:\d\d: \d+ calls?/)
    await tab.press("ArrowLeft")
    expect(await said()).not.toBe(last)
    await tab.press("ArrowLeft", { shift: true })
    await tab.press("ArrowLeft", { shift: true })
    expect(await hash(tab)).toMatch(/^#since=2026-11-18T\S+&until=2026-11-18T\S+$/)
    await tab.press("Escape")
    expect(await hash(tab)).toBe("")
  })

  it("shows all that is known of a decision, and goes on from there", async () => {
    const { decisions, url } = await decisionsOf()
    const tab = await opened(`${url}#denied=1`)
    await tab.click(".whole .row")
    await tab.until("document.querySelector('dialog[open]') !== null")
    const latest = decisions.filter(({ allowed }) => !allowed).at(-1)
    expect(await textOf(tab, "dialog h3")).toBe(latest?.code)
    const fields = await textOf(tab, ".fields")
    for (const value of [latest?.time, latest?.tool, latest?.capability, latest?.call, latest?.session]) {
      expect(fields).toContain(value)
    }
    await tab.evaluate(
      `[...document.querySelectorAll("dialog button")].find((one) => one.textContent === "this session").click()`
    )
    await tab.until("document.querySelector('dialog') === null")
    const own = decisions.filter(({ allowed, session }) => !allowed && session === latest?.session)
    expect(await result(tab)).toBe(`${some(own.length)} of ${some(decisions.length)} decisions`)
  })

  it("leads to its parts by links that can be passed on", async () => {
    const { url } = await decisionsOf()
    const tab = await opened(`${url}#q=git`)
    await tab.evaluate("document.querySelectorAll('.ways a')[3].click()")
    await tab.until("location.hash === '#q=git&at=tools'")
    await tab.until("document.activeElement.id === 'tools-title'")
    expect(await tab.evaluate("document.querySelector('input[type=search]').value")).toBe("git")
  })

  it("follows an address that changes before anything is drawn", async () => {
    const { decisions, url } = await decisionsOf()
    const tab = await newTab()
    open = tab
    await tab.send("Page.addScriptToEvaluateOnNewDocument", {
      source:
        "document.addEventListener('DOMContentLoaded', () => { history.replaceState(null, '', '#denied=1'); dispatchEvent(new HashChangeEvent('hashchange')) })"
    })
    await tab.open(url)
    await tab.until("document.querySelector('.only input').checked")
    const refused = decisions.filter(({ allowed }) => !allowed)
    expect(await result(tab)).toBe(`${some(refused.length)} of ${some(decisions.length)} decisions`)
  })

  it("does not move what was drawn", async () => {
    const { url } = await decisionsOf()
    const tab = await newTab()
    open = tab
    await tab.send("Page.addScriptToEvaluateOnNewDocument", {
      source:
        "window.moved = 0; new PerformanceObserver((list) => { for (const one of list.getEntries()) window.moved += one.value }).observe({ type: 'layout-shift', buffered: true })"
    })
    await tab.open(url)
    await tab.until("document.querySelector('.bar') !== null")
    await tab.drawn()
    expect(await tab.evaluate("window.moved")).toBe(0)
  })

  it("says so where nothing is there yet", async () => {
    const tab = await opened(await written({ about: "empty", entries: [], generated: 0 }))
    expect(await texts(tab, ".empty")).toEqual([
      "There are no agents and no personalities here, and none is in the log. Write one with bailiwick agents create.",
      "Nobody has called anything yet.",
      "There is no workspace here, so that nobody knows what was granted.",
      "There are no tools here, and none was called.",
      "No decision is like that. Clear a filter to see more."
    ])
  })

  it("says what is missing in the log", async () => {
    const tab = await opened(
      await written({
        about: "gaps",
        entries: [{ v: 1, type: "gap", time: "2026-11-18T00:00:00.000Z", lost: 3, why: "the disk is full" }],
        generated: 0,
        notes: ["2026-11-18.jsonl:7: the last line is torn, and is left out"]
      })
    )
    expect(await texts(tab, ".notes li")).toEqual([
      "3 entries could not be written to the log and are missing here",
      "2026-11-18.jsonl:7: the last line is torn, and is left out"
    ])
  })
})

/**
 * Names of agents, tools, hosts and paths are written by strangers and by models. Whatever they are, they are text on the
 * page; and should one ever get to run, the page can load nothing and tell nobody.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import type { Tab } from "../../scripts/browser/Tab.js"
import type { AuditEntry } from "../../src/audit/AuditEntry.js"
import { type PageInput, pageOf } from "../../src/cli/commands/audit/page/Page.js"
import { seen } from "../../src/policy/text/Quote.js"
import { inBrowser, texts } from "./inBrowser.js"

const RUN = "window.pwned=1"

/** Each tries to end what it stands in, or to be taken for what it is not. */
const names = [
  `</script><script>${RUN}</script>`,
  `<!--<script>${RUN}//`,
  `<img src=x onerror=${RUN}>`,
  `"><svg onload=${RUN}>`,
  `' onfocus='${RUN}' autofocus='`,
  `javascript:${RUN}`,
  `</style><style>*{display:none}`,
  `<base href="http://127.0.0.1:1/">`,
  "<meta http-equiv=refresh content='0;url=about:blank'>",
  "&lt;b&gt; &amp; &#60;",
  "{{constructor.constructor('window.pwned=1')()}}",
  "\u202egnp.exe\u202c",
  "\u001b[31mred\u001b[0m",
  "zero\u200bwidth",
  "line\u2028and\u2029paragraph",
  "a\u0000b",
  "\ud800 alone",
  "__proto__",
  "constructor",
  "@data@",
  "$& $1 $$",
  `${"long ".repeat(2000)}`
]

const entry = (name: string, at: number): AuditEntry => ({
  v: 1,
  type: "decision",
  time: new Date(Date.parse("2026-11-18T09:00:00Z") + at * 60_000).toISOString(),
  session: name,
  agent: name,
  personality: name,
  revision: name,
  call: name,
  tool: name,
  origin: name,
  capability: name,
  asked: name,
  allowed: at % 2 === 0,
  scope: name,
  by: name
})

const input: PageInput = {
  about: names.join(" "),
  entries: names.flatMap((name, at): ReadonlyArray<AuditEntry> => {
    const decision = entry(name, at)
    return [decision, { ...decision, type: "call", code: "ok", ms: 1 } as AuditEntry]
  }),
  generated: Date.parse("2026-11-18T10:00:00Z"),
  notes: names,
  workspace: {
    root: "/work",
    subjects: names.map((name) => ({
      kind: "agent",
      id: name,
      title: name,
      file: name,
      asDeclared: [],
      grants: [
        {
          written: name,
          file: name,
          line: 1,
          risk: "high",
          capabilities: ["network.get"],
          isUnused: true,
          doubt: name
        }
      ]
    })),
    tools: names.map((name) => ({ name, origin: name, surface: [`${name}: ${name}`, name], risk: "low" }))
  }
}

it("is one script, one style and one block of data, whatever stands in it", async () => {
  const html = await pageOf(input)
  expect(html.match(/<script\b/gi)).toHaveLength(2)
  expect(html.match(/<\/script/gi)).toHaveLength(2)
  expect(html.match(/<style\b/gi)).toHaveLength(1)
  const data = /<script id="data" type="application\/json">(.*?)<\/script>/s.exec(html)?.[1] ?? ""
  expect(data).not.toMatch(/[<\u2028\u2029\u202e]/)
  expect(JSON.parse(data).notes).toHaveLength(names.length)
  // Nothing is named that a browser would load.
  expect(html.replace(data, "").match(/(?:src|href)="(?!data:)[^"]*"/g)).toEqual(null)
})

inBrowser("the page of a hostile log", ({ sample, tab: newTab, written }) => {
  let open: Tab | undefined

  afterEach(async () => {
    await open?.close()
    open = undefined
  })

  const opened = async (url: string): Promise<Tab> => {
    const tab = await newTab()
    open = tab
    await tab.open(url)
    await tab.until("document.querySelector('main') !== null")
    return tab
  }

  /** Only what the page itself is made of. */
  const strangers = (tab: Tab): Promise<ReadonlyArray<string>> =>
    tab.evaluate(
      "[...document.querySelectorAll('img, iframe, object, embed, base, script:not([id=data]):not(:last-of-type), style:not(head style), meta:not(head meta), a:not(.ways a), form, [onerror], [onload], [onfocus], [srcdoc]')].map((one) => one.outerHTML)"
    )

  it("shows names as text, wherever they stand", async () => {
    const tab = await opened(await written(input))
    const whole = await tab.evaluate<string>("document.body.innerText")
    for (const name of names.filter((one) => one.length < 100)) expect(whole).toContain(seen(name))
    expect(whole).toContain("\\u202egnp.exe\\u202c")
    expect(whole).toContain("\\u001b[31mred\\u001b[0m")
    expect(whole).toContain("zero\\u200bwidth")
    for (const button of [".matrix button", ".whole .row"]) {
      await tab.evaluate(`document.querySelector("${button}").click()`)
      await tab.until("document.querySelector('dialog[open]') !== null")
      expect(await strangers(tab)).toEqual([])
      await tab.press("Escape")
      await tab.until("document.querySelector('dialog') === null")
    }
    expect(await strangers(tab)).toEqual([])
    expect(await tab.evaluate("window.pwned")).toBe(undefined)
    expect(tab.complaints).toEqual([])
    expect(tab.requests).toHaveLength(1)
  })

  it("gives a name of any length a few lines on a screen, and all of them on paper", async () => {
    const tab = await opened(await written(input))
    const heights = () =>
      tab.evaluate<ReadonlyArray<number>>(
        "[...document.querySelectorAll('.who, .what')].map((one) => one.getBoundingClientRect().height)"
      )
    const shown = await heights()
    expect(shown.length).toBeGreaterThan(names.length)
    expect(Math.max(...shown)).toBeLessThan(100)
    await tab.media({}, "print")
    expect(Math.max(...(await heights()))).toBeGreaterThan(1000)
  })

  it("takes an address for text, too", async () => {
    const { url } = await sample()
    const tab = await newTab()
    open = tab
    for (const name of names) {
      const given = new URLSearchParams({
        q: name,
        agent: name,
        tool: name,
        capability: name,
        session: name,
        since: name,
        until: name,
        at: name,
        denied: name
      })
      await tab.open("about:blank")
      await tab.open(`${url}#${given}`)
      await tab.until("document.querySelector('.result') !== null")
      expect(await texts(tab, ".result")).toEqual([expect.stringMatching(/^0 of \d+ decisions$/)])
      expect(await strangers(tab)).toEqual([])
      expect(await tab.evaluate("[window.pwned, Object.prototype.agent, location.protocol]")).toEqual([
        null,
        null,
        "file:"
      ])
    }
    for (const broken of ["#%", "#%E0%A4%A", "#q=%ff", `#${"a=1&".repeat(5000)}`, "#javascript:alert(1)"]) {
      await tab.open("about:blank")
      await tab.open(`${url}${broken}`)
      await tab.until("document.querySelector('.result') !== null")
    }
    expect(tab.complaints).toEqual([])
  })

  it("could send nothing and load nothing, even if a name came to run", async () => {
    const heard: Array<string> = []
    const server = createServer((request, response) => {
      heard.push(request.url ?? "")
      response.end()
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const { url } = await sample()
      const tab = await opened(url)
      const tried = await tab.evaluate<ReadonlyArray<string>>(`(async () => {
        const outcome = []
        const attempt = async (name, f) => { try { await f(); outcome.push(name) } catch { } }
        const loads = (element) => new Promise((done, failed) => { element.onload = done; element.onerror = failed; document.body.append(element) })
        const made = (name, properties) => Object.assign(document.createElement(name), properties)
        await attempt("fetch", () => fetch("${address}/fetch"))
        await attempt("beacon", () => { if (!navigator.sendBeacon("${address}/beacon")) throw 0 })
        await attempt("event source", () => new Promise((done, failed) => { const source = new EventSource("${address}/events"); source.onopen = done; source.onerror = failed }))
        await attempt("web socket", () => new Promise((done, failed) => { const socket = new WebSocket("${address.replace("http", "ws")}/ws"); socket.onopen = done; socket.onerror = failed }))
        await attempt("image", () => loads(made("img", { src: "${address}/image" })))
        await attempt("script", () => loads(made("script", { src: "${address}/script" })))
        await attempt("style", () => loads(made("link", { rel: "stylesheet", href: "${address}/style" })))
        await attempt("inline script", () => { const script = made("script"); script.textContent = "${RUN}"; document.body.append(script); if (window.pwned === undefined) throw 0 })
        await attempt("eval", () => eval("1"))
        await attempt("html", () => { document.body.insertAdjacentHTML("beforeend", "<b>a</b>") })
        await attempt("innerHTML", () => { made("div").innerHTML = "<b>a</b>" })
        return outcome
      })()`)
      // What is sent in the background says nothing to who sends it.
      expect(tried.filter((name) => name !== "beacon")).toEqual([])
      expect(await tab.evaluate("window.pwned")).toBe(undefined)
      // A frame of another page stays empty, and a form goes nowhere.
      await tab.evaluate(`(() => {
        document.body.append(Object.assign(document.createElement("iframe"), { src: "${address}/frame" }))
        const form = Object.assign(document.createElement("form"), { action: "${address}/form", method: "post" })
        document.body.append(form)
        form.submit()
      })()`)
      await tab.drawn()
      expect(await tab.evaluate("location.protocol")).toBe("file:")
      expect(heard).toEqual([])
    } finally {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    }
  })
})

/** The page on loopback: only who has its whole address is answered, and it follows the log for as long as it is served. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync } from "node:fs"
import { request } from "node:http"
import { createConnection } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { sampleEntries, writeSample } from "../../scripts/page/sample.js"
import type { AuditEntry } from "../../src/audit/AuditEntry.js"
import { Feed } from "../../src/cli/commands/audit/page/Feed.js"
import { type Served, servePage } from "../../src/cli/commands/audit/page/Serve.js"
import { Folder } from "../cli/workspace.js"
import { installedCommand } from "../installed.js"
import { inBrowser, textOf, texts } from "./inBrowser.js"

const entry = (at: number, changed: Partial<AuditEntry> = {}): AuditEntry =>
  ({
    v: 1,
    type: "decision",
    time: new Date(Date.parse("2026-11-18T09:00:00Z") + at * 1000).toISOString(),
    session: "s",
    agent: "agents/live",
    revision: "r",
    call: `c${at}`,
    tool: "web_fetch",
    origin: "builtin",
    capability: "network.get",
    asked: `GET https://example.com/${at}`,
    allowed: true,
    ...changed
  }) as AuditEntry

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

const ask = (
  url: string,
  {
    headers = {},
    method = "GET"
  }: { readonly method?: string; readonly headers?: Record<string, string> } = {}
): Promise<Answer> =>
  new Promise((done, failed) => {
    const asking = request(url, { method, headers, agent: false }, (response) => {
      let body = ""
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text
      })
      response.on("end", () => done({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    asking.on("error", failed)
    asking.end()
  })

interface Hearing {
  readonly headers?: Record<string, string>
  /** Is told of each event, by how many there are. */
  readonly heard?: (count: number) => void
}

/** Reads events until there are so many, and ends the connection then. */
const events = (
  url: string,
  count: number,
  { headers = {}, heard = () => {} }: Hearing = {}
): Promise<ReadonlyArray<string>> =>
  new Promise((done, failed) => {
    const asking = request(url, { headers, agent: false }, (response) => {
      const all: Array<string> = []
      let rest = ""
      response.setEncoding("utf8").on("data", (more: string) => {
        const parts = `${rest}${more}`.split("\n\n")
        rest = parts.pop() ?? ""
        for (const one of parts) {
          all.push(one)
          heard(all.length)
        }
        if (all.length < count) return
        asking.destroy()
        done(all)
      })
      response.on("error", () => {})
      response.on("close", () => done(all))
    })
    asking.on("error", failed)
    asking.end()
  })

const served = (feed: Feed) =>
  servePage({
    port: 0,
    feed,
    shown: (one) => one,
    page: async (after) => ({ html: `<p>${after}</p>`, policy: "default-src 'none'; connect-src 'self'" })
  })

const filledFeed = (count: number, most = 100): Feed => {
  const feed = new Feed(most)
  feed.add(Array.from({ length: count }, (_, at) => entry(at)))
  return feed
}

const asking = <A>(use: (server: Served, feed: Feed) => Promise<A>, feed = filledFeed(3)) =>
  Effect.flatMap(served(feed), (server) => Effect.promise(() => use(server, feed)))

describe("a page that is served", () => {
  it.scoped("is at an address of this machine with a token of its own", () =>
    asking(async ({ port, url }) => {
      expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/[\\w-]{43}/$`))
      const { body, headers, status } = await ask(url)
      expect([status, body]).toEqual([200, "<p>3</p>"])
      expect(headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "cross-origin-resource-policy": "same-origin"
      })
      expect(headers).not.toHaveProperty("access-control-allow-origin")
    })
  )

  it.scoped("has another token each time", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* served(filledFeed(0)), yield* served(filledFeed(0))]
      expect(new URL(a.url).pathname).not.toBe(new URL(b.url).pathname)
    })
  )

  it.scoped("is for nobody without the token", () =>
    asking(async ({ port, url }) => {
      const token = new URL(url).pathname.split("/")[1] ?? ""
      const wrong = [
        "/",
        "/events",
        `/${token.slice(0, -1)}/`,
        `/${token}x/`,
        `/${"A".repeat(43)}/`,
        `//${token}/`,
        `/?token=${token}`,
        `/${token.toLowerCase()}/`,
        `/${encodeURIComponent("../")}${token}/`
      ]
      for (const path of wrong) {
        const { body, status } = await ask(`http://127.0.0.1:${port}${path}`)
        expect([path, status]).toEqual([path, 403])
        expect(body).not.toContain(token)
      }
    })
  )

  it.scoped("is for nobody who came by another name, or from a page of another origin", () =>
    asking(async ({ port, url }) => {
      const statuses = async (headers: Record<string, string>) =>
        [(await ask(url, { headers })).status, (await ask(`${url}events?after=9`, { headers })).status].join(
          " "
        )
      for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1:1", "localhost"]) {
        expect([host, await statuses({ host })]).toEqual([host, "403 403"])
      }
      for (const origin of [
        "http://evil.example",
        "null",
        `http://127.0.0.1:${port + 1}`,
        `https://127.0.0.1:${port}`
      ]) {
        expect([origin, await statuses({ origin })]).toEqual([origin, "403 403"])
      }
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
        expect([host, await statuses({ host, origin: `http://${host}` })]).toEqual([host, "200 200"])
      }
    })
  )

  it.scoped("answers nothing but GET, and has nothing else", () =>
    asking(async ({ url }) => {
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"]) {
        const { headers, status } = await ask(url, { method })
        expect([method, status, headers.allow]).toEqual([method, 405, "GET"])
      }
      for (const path of ["x", "events/x", "../", "events?after=-1", "events?after=x", "events"]) {
        const { status } = await ask(`${url}${path}`)
        expect([path, status]).toEqual([
          path,
          path === "../" ? 403 : path.startsWith("events") && path !== "events/x" ? 400 : 404
        ])
      }
    })
  )

  it.scoped("tells what came after what the page has, and what comes then", () =>
    asking(async ({ url }, feed) => {
      const more = entry(3, { asked: "GET https://example.com/new" } as Partial<AuditEntry>)
      const heard = (count: number) => (count === 1 ? feed.add([more]) : undefined)
      const [missed = "", added = ""] = await events(`${url}events?after=1`, 2, { heard })
      expect(missed).toMatch(/^id: 3\nevent: entries\ndata: \[/)
      expect(JSON.parse(missed.split("data: ")[1] ?? "")).toEqual([entry(1), entry(2)])
      expect(added).toBe(`id: 4\nevent: entries\ndata: ${JSON.stringify([more])}`)
    })
  )

  it.scoped("goes on where a browser that comes back had ended", () =>
    asking(async ({ url }) => {
      const [only = ""] = await events(`${url}events?after=0`, 1, { headers: { "last-event-id": "2" } })
      expect(JSON.parse(only.split("data: ")[1] ?? "")).toEqual([entry(2)])
    })
  )

  it.scoped("has a page loaded anew of which it does not have all", () =>
    asking(
      async ({ url }) => {
        expect(await events(`${url}events?after=2`, 1)).toEqual(["event: reload\ndata: "])
        expect(await events(`${url}events?after=99`, 1)).toEqual(["event: reload\ndata: "])
      },
      filledFeed(30, 10)
    )
  )

  it.scoped("has many followers, and not without end", () =>
    asking(async ({ url }) => {
      const open = Array.from({ length: 16 }, () => request(`${url}events?after=0`, { agent: false }))
      const answers = await Promise.all(
        open.map(async (one) => {
          one.on("error", () => {})
          one.end()
          const [response] = await once(one, "response")
          return response.statusCode
        })
      )
      expect(new Set(answers)).toEqual(new Set([200]))
      expect((await ask(`${url}events?after=0`)).status).toBe(503)
      for (const one of open) one.destroy()
    })
  )

  it.effect("leaves no connection when it ends, and says so to who follows", () =>
    Effect.gen(function* () {
      const ended = yield* Effect.scoped(
        asking(async ({ port, url }) => {
          let said: Promise<ReadonlyArray<string>> | undefined
          await new Promise<number>((heard) => {
            said = events(`${url}events?after=0`, 99, { heard })
          })
          const idle = createConnection(port, "127.0.0.1")
          await once(idle, "connect")
          return { said, isClosed: once(idle, "close"), port }
        })
      )
      expect((yield* Effect.promise(async () => ended.said))?.at(-1)).toBe("event: end\ndata: ")
      yield* Effect.promise(() => ended.isClosed)
      const again = createConnection(ended.port, "127.0.0.1")
      const [error] = yield* Effect.promise(() => once(again, "error"))
      expect(error.code).toBe("ECONNREFUSED")
    })
  )

  it.scoped("says so where another program has its port", () =>
    Effect.gen(function* () {
      const { port } = yield* served(filledFeed(0))
      const error = yield* Effect.flip(
        servePage({ port, feed: filledFeed(0), shown: (one) => one, page: () => Promise.reject() })
      )
      expect(error.detail).toBe(
        `another program listens on port ${port} of 127.0.0.1; name another, or 0 for one that is free`
      )
    })
  )
})

/** A workspace with a log of one day, and how more is written to it. */
const logged = () => {
  const folder = new Folder()
  writeSample(folder.root)
  const entries = sampleEntries(folder.root, 40)
  const file = folder.write(
    ".bailiwick/audit/2026-11-18.jsonl",
    `${entries.map((one) => `${JSON.stringify(one)}\n`).join("")}no entry\n`
  )
  return {
    folder,
    decisions: entries.filter(({ type }) => type === "decision").length,
    append: (...more: ReadonlyArray<AuditEntry>) =>
      appendFileSync(file, more.map((one) => `${JSON.stringify(one)}\n`).join(""))
  }
}

inBrowser("a page that is served", ({ tab: newTab }) => {
  it("follows the log, and says when it does not any more", async () => {
    const { append, decisions, folder } = logged()
    const ending = new AbortController()
    let url = ""
    const isServed = new Promise<void>((done) => {
      const print = async (text: string) => {
        url = text.trim()
        done()
      }
      void serving(folder, ending.signal, print)
    })
    await isServed
    const tab = await newTab()
    await tab.open(`${url}#agent=agents/release-bot`)
    await tab.until(
      "document.querySelector('.live.open') !== null && document.querySelector('.bar') !== null"
    )
    expect(await textOf(tab, ".live")).toBe("Live")
    expect(await texts(tab, ".notes li")).toEqual(["1 line of the log is no entry, and is left out"])
    expect(await textOf(tab, ".result")).toMatch(new RegExp(` of ${decisions} decisions$`))
    const before = await texts(tab, ".holder code")
    expect(before).toContain("net.put{hosts=[api.github.com]}")

    append(
      entry(0, {
        agent: "agents/release-bot",
        call: "new",
        capability: "network.put",
        asked: "PUT https://api.github.com/new",
        by: `${folder.root}/records/agents/release-bot.md:7`
      } as Partial<AuditEntry>)
    )
    await tab.until(
      `document.querySelector('.result').textContent.endsWith(' of ${decisions + 1} decisions')`
    )
    expect((await texts(tab, ".whole .row"))[0]).toContain("PUT https://api.github.com/new")
    // What was never used has been used now.
    expect(await texts(tab, ".holder code")).not.toContain("net.put{hosts=[api.github.com]}")

    // Who has gone down the list stays at the same decision.
    await tab.evaluate("document.querySelector('.whole [tabindex=\"0\"]').focus()")
    await tab.press("ArrowDown")
    const here = await tab.evaluate<string>("document.activeElement.textContent")
    append(entry(1, { agent: "agents/release-bot", call: "newer" } as Partial<AuditEntry>))
    await tab.until(
      `document.querySelector('.result').textContent.endsWith(' of ${decisions + 2} decisions')`
    )
    await tab.drawn()
    expect(await tab.evaluate("document.querySelector('.whole [tabindex=\"0\"]').textContent")).toBe(here)

    ending.abort()
    await tab.until("document.querySelector('.live.lost') !== null")
    expect(await textOf(tab, ".live")).toBe("Not connected")
    expect(tab.requests.every((one) => one.startsWith(url))).toBe(true)
    await tab.close()
  })
})

const serving = (
  folder: Folder,
  signal: AbortSignal,
  print: (text: string) => Promise<void>,
  ...more: ReadonlyArray<string>
) =>
  folder.bailiwick(["audit", "--serve", ...more], {
    signal,
    perform: async (args, around) => {
      const { run } = await import("../../src/cli/run.js")
      return run(args, { ...around, print })
    }
  })

it("a page that is served has what is asked for, from when on is asked for", async () => {
  const { folder } = logged()
  const hour = 3600 * 1000
  folder.write(
    ".bailiwick/audit/2026-11-19.jsonl",
    [3 * hour, hour, 0]
      .map(
        (ago) =>
          `${JSON.stringify({ ...entry(0), time: new Date(Date.now() - ago).toISOString(), call: `ago-${ago}` })}\n`
      )
      .join("")
  )
  const ending = new AbortController()
  const url = await new Promise<string>((done) => {
    void serving(folder, ending.signal, async (text) => done(text.trim()), "--since", "2h")
  })
  try {
    const { body } = await ask(url)
    expect(body).toContain("ago-0")
    expect(body).toContain(`ago-${hour}`)
    expect(body).not.toContain(`ago-${3 * hour}`)
  } finally {
    ending.abort()
  }
})

describe("the installed command", () => {
  it("serves until it is interrupted, and prints its address alone", async () => {
    const { folder } = logged()
    const child = spawn(process.execPath, [await installedCommand(), "audit", "--serve"], {
      cwd: folder.root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, HOME: folder.root }
    })
    let out = ""
    let err = ""
    child.stdout.setEncoding("utf8")
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text
    })
    try {
      while (!out.includes("\n")) out += (await once(child.stdout, "data"))[0]
      const url = out.trim()
      const { body, status } = await ask(url)
      expect(status).toBe(200)
      expect(body).toContain("<title>Audit - Bailiwick</title>")
      const following = new Promise<number>((heard) => void events(`${url}events?after=0`, 99, { heard }))
      expect(await following).toBe(1)
      const ended = once(child, "exit")
      child.kill("SIGINT")
      expect(await ended).toEqual([130, null])
      expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/\n$/)
      expect(err).not.toContain(new URL(url).pathname.split("/")[1])
    } finally {
      child.kill("SIGKILL")
    }
  })
})

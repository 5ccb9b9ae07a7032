/**
 * A Chromium that is driven over its protocol, through a pipe of its own: no port is opened. It reaches loopback and nothing
 * else, asks for nothing by itself, and ends with this process.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { Tab } from "./Tab.js"

/** What it would otherwise do on its own. */
const flags = (profile: string): ReadonlyArray<string> => [
  "--headless=new",
  "--remote-debugging-pipe",
  `--user-data-dir=${profile}`,
  "--no-sandbox",
  "--no-first-run",
  "--no-default-browser-check",
  "--no-pings",
  "--no-service-autorun",
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-extensions-with-background-pages",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-gpu",
  "--disable-sync",
  "--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,MediaRouter,OptimizationGuideModelDownloading,OptimizationHints,OptimizationHintsFetching,OptimizationTargetPrediction,Translate",
  "--metrics-recording-only",
  "--password-store=basic",
  "--use-mock-keychain",
  "--force-color-profile=srgb",
  "--font-render-hinting=none",
  "--hide-scrollbars",
  "--mute-audio",
  // No name but this machine's is looked up; and whatever is not loopback would go to a port that nobody listens on.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
  "--proxy-server=http://127.0.0.1:9",
  "--proxy-bypass-list=127.0.0.1;localhost"
]

interface Answer {
  readonly id?: number
  readonly sessionId?: string
  readonly method?: string
  readonly params?: object
  readonly result?: object
  readonly error?: { readonly message: string }
}

type Listener = (method: string, params: object) => void

interface Waiting {
  readonly done: (result: object) => void
  readonly failed: (error: Error) => void
}

/** Sends a command to the browser, or to one of its tabs. */
export type Send = (method: string, params?: object, session?: string) => Promise<object>

/** Each message ends with NUL. */
const readMessages = (input: Readable, each: (message: Answer) => void): void => {
  let rest = Buffer.alloc(0)
  input.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      each(JSON.parse(rest.toString("utf8", 0, end)))
      rest = rest.subarray(end + 1)
    }
  })
}

const ENDED = "the browser has ended"

const running = new Set<ChildProcess>()

/** All that it has started is in its group. */
const kill = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended.
  }
}

process.once("exit", () => {
  for (const child of running) kill(child)
})

export class Chromium {
  private readonly waiting = new Map<number, Waiting>()
  private readonly listeners = new Map<string, Listener>()
  private next = 1
  private isClosed = false
  private hasEnded = false

  private constructor(
    private readonly child: ChildProcess,
    private readonly profile: string,
    private readonly output: Writable,
    input: Readable
  ) {
    readMessages(input, (message) => this.take(message))
    child.once("exit", () => this.ended())
    child.once("error", () => this.ended())
  }

  static start(command = "chromium"): Chromium {
    const profile = mkdtempSync(join(tmpdir(), "bailiwick-chromium-"))
    const child = spawn(command, [...flags(profile), "about:blank"], {
      // What it keeps of its own is kept there, too.
      env: {
        PATH: process.env.PATH,
        HOME: profile,
        XDG_CONFIG_HOME: profile,
        XDG_CACHE_HOME: profile,
        TMPDIR: profile,
        LANG: "C.UTF-8"
      },
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      detached: true
    })
    running.add(child)
    const [, , , output, input] = child.stdio
    output?.on("error", () => {})
    return new Chromium(child, profile, output as Writable, input as Readable)
  }

  private take({ error, id, method, params = {}, result = {}, sessionId = "" }: Answer): void {
    if (id === undefined) {
      this.listeners.get(sessionId)?.(method ?? "", params)
      return
    }
    const waits = this.waiting.get(id)
    this.waiting.delete(id)
    if (error === undefined) waits?.done(result)
    else waits?.failed(new Error(error.message))
  }

  private ended(): void {
    this.hasEnded = true
    running.delete(this.child)
    for (const { failed } of this.waiting.values()) failed(new Error(ENDED))
    this.waiting.clear()
  }

  private readonly send: Send = (method, params = {}, sessionId) =>
    new Promise((done, failed) => {
      // Nobody would answer.
      if (this.hasEnded) {
        failed(new Error(ENDED))
        return
      }
      const id = this.next++
      this.waiting.set(id, { done, failed })
      this.output.write(`${JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) })}\0`)
    })

  /** A tab with storage of its own. */
  async tab(): Promise<Tab> {
    const { browserContextId } = (await this.send("Target.createBrowserContext")) as {
      browserContextId: string
    }
    const made = { url: "about:blank", browserContextId }
    const { targetId } = (await this.send("Target.createTarget", made)) as { targetId: string }
    const attached = await this.send("Target.attachToTarget", { targetId, flatten: true })
    const { sessionId } = attached as { sessionId: string }
    const tab = new Tab(
      (method, params) => this.send(method, params, sessionId),
      async () => {
        this.listeners.delete(sessionId)
        await this.send("Target.disposeBrowserContext", { browserContextId })
      }
    )
    this.listeners.set(sessionId, (method, params) => tab.hear(method, params))
    await tab.begin()
    return tab
  }

  /** Ends it with all that it has started, and takes away what it has kept. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    const { child } = this
    const ending = this.hasEnded ? undefined : once(child, "exit")
    kill(child)
    await ending
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

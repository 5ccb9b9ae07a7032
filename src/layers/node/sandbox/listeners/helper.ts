/** One helper process, and what was asked of it. */
import { type ChildProcess, spawn } from "node:child_process"
import { Server } from "node:net"
import { source } from "./source.js"

/** Nothing, where the machine has no such address. */
export type Listening = Server | undefined

/** `lost`: the helper ended before it answered. */
export type Answer =
  | { readonly _tag: "Listening"; readonly servers: ReadonlyArray<Listening> }
  | { readonly _tag: "Failed"; readonly why: string }
  | { readonly _tag: "Lost" }

interface Pending {
  readonly wanted: number
  readonly servers: Map<number, Listening>
  readonly answer: (answer: Answer) => void
}

export interface Request {
  readonly pid: number
  /** Of the network namespace; 0 where it is not known. */
  readonly inode: number
  readonly places: ReadonlyArray<string>
}

/** How a request is called off; what was opened for it is closed. */
type CallOff = () => void

const ANSWER = /^(\d+) (?:(\d+)( absent)?|failed (.*))$/

const closeAll = (servers: Iterable<Listening>): void => {
  for (const server of servers) server?.close()
}

export class Helper {
  readonly #process: ChildProcess
  readonly #pending = new Map<number, Pending>()
  readonly #over: Promise<void>
  #last = 0
  isOver = false

  constructor(perl: string, [setns, sendmsg]: readonly [string, string]) {
    this.#process = spawn(perl, ["-f", "-e", source, setns, sendmsg], {
      cwd: "/",
      env: {},
      // A group of its own: what a terminal sends to this program is not meant for it.
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"]
    })
    this.#over = new Promise((resolve) => {
      const end = () => {
        this.#end()
        resolve()
      }
      this.#process.once("exit", end).once("error", end)
    })
    this.#process.once("disconnect", () => this.#end())
    this.#process.on("message", (message, handle) =>
      this.#hear(String(message), handle instanceof Server ? handle : undefined)
    )
    this.#process.unref()
    this.#process.channel?.unref()
  }

  ask({ inode, pid, places }: Request, answer: (answer: Answer) => void): CallOff {
    const id = ++this.#last
    this.#pending.set(id, { wanted: places.length, servers: new Map(), answer })
    this.#process.channel?.ref()
    // A helper that is gone, or never came to be, says so by its end.
    if (this.#process.connected) this.#process.send([id, pid, inode, ...places].join(" "), () => {})
    return () => closeAll(this.#settle(id)?.servers.values() ?? [])
  }

  /** Ends it with its forks, and answers when it is gone. */
  close(): Promise<void> {
    this.#end()
    // Whoever waits for its end must not be left waiting by a program that has nothing else to do.
    this.#process.ref()
    return this.#over
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#process.channel?.unref()
    return pending
  }

  #hear(message: string, server: Server | undefined): void {
    const [, id = "", index, absent, why] = ANSWER.exec(message) ?? []
    const pending = this.#pending.get(Number(id))
    const isOdd = index !== undefined && (server === undefined) !== (absent !== undefined)
    // Nobody waits for it any more.
    if (pending === undefined || isOdd) return void server?.close()
    if (index !== undefined) pending.servers.set(Number(index), server)
    if (index === undefined) {
      this.#settle(Number(id))
      closeAll(pending.servers.values())
      pending.answer({ _tag: "Failed", why: why ?? "" })
      return
    }
    if (pending.servers.size < pending.wanted) return
    this.#settle(Number(id))
    const servers = [...pending.servers].sort(([a], [b]) => a - b).map(([, one]) => one)
    pending.answer({ _tag: "Listening", servers })
  }

  #end(): void {
    if (this.isOver) return
    this.isOver = true
    const { pid } = this.#process
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL")
    } catch {
      // All of them are gone already.
    }
    const waiting = [...this.#pending.values()]
    this.#pending.clear()
    for (const { answer, servers } of waiting) {
      closeAll(servers.values())
      answer({ _tag: "Lost" })
    }
  }
}

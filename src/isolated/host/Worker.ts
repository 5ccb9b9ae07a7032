/**
 * A worker as its host sees it: a process that runs a stranger's code. It is heard only about what it was asked, and ended
 * at the first thing that no worker does.
 *
 * @since 0.1.0
 */
import type { Started } from "../../layers/node/sandbox/enclosure/Enclosure.js"
import { visible } from "../../policy/text/Stranger.js"
import { Malformed } from "../protocol/Carried.js"
import { FrameReader, FrameWriter, type Message } from "../protocol/Frames.js"
import { IsolatedError } from "./IsolatedError.js"
import type { Limits } from "./Limits.js"

/**
 * Who hears what a worker says of one job.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ears {
  /** Throws `Misbehaved` for what it was never given. */
  readonly hear: (message: Message, length: number) => void
  /** It will hear nothing more. */
  readonly gone: (why: IsolatedError) => void
}

/**
 * Says what a worker did that none does.
 *
 * @since 0.1.0
 * @category errors
 */
export class Misbehaved extends Error {}

/** What a worker may say of a job that has ended by then: it was on its way. */
const LATE = new Set(["op", "stop", "ack", "put", "shut", "progress", "log", "cancelling", "done"])

/**
 * @since 0.1.0
 * @category models
 */
export class Worker {
  /** What it says first, as it says it. */
  readonly hello: Promise<unknown>
  private greeted: ((hello: unknown) => void) | undefined
  /** What its calls were refused; nothing where nobody can tell any more. */
  refused: Set<string> | undefined = new Set()
  private readonly jobs = new Map<number, Ears>()
  private readonly writer: FrameWriter
  private said = ""
  private next = 1
  /** What it said of calls that were over. */
  private late = 0
  private ended: IsolatedError | undefined
  private readonly watchers = new Set<() => void>()

  constructor(
    private readonly started: Started,
    private readonly limits: Limits,
    /** How it is spoken of. */
    private readonly name: string
  ) {
    this.hello = new Promise((resolve) => {
      this.greeted = resolve
    })
    const { errors, socket } = started
    this.writer = new FrameWriter(socket)
    const reader = new FrameReader(
      limits.frameBytes,
      (message, length) => this.hear(message, length),
      limits.values
    )
    socket.on("data", (piece: Buffer) => {
      if (this.ended !== undefined) return
      try {
        reader.push(piece)
      } catch (error) {
        const why = error instanceof Malformed ? `: ${error.message}` : ""
        this.end(
          "WORKER_MISBEHAVED",
          error instanceof Misbehaved ? error.message : `it said what cannot be read${why}`
        )
      }
    })
    socket.on("error", () => {})
    socket.on("close", () => started.kill())
    errors.on("data", (piece: Buffer) => {
      this.said += piece.toString("utf8")
      if (this.said.length > limits.errorLength) {
        this.said = this.said.slice(-limits.errorLength)
        errors.destroy()
      }
    })
    errors.on("error", () => {})
    void started.ended.then((how) => this.end("WORKER_ENDED", `it ended ${how}`))
  }

  get isAlive(): boolean {
    return this.ended === undefined
  }

  /** Why it is gone. */
  get why(): IsolatedError | undefined {
    return this.ended
  }

  /** What it wrote to its error output last: for a log, and nobody else. */
  get errorOutput(): string {
    return visible(this.said, this.limits.errorLength)
  }

  /** Is called once it is gone. */
  onEnd(watcher: () => void): void {
    if (this.ended === undefined) this.watchers.add(watcher)
    else watcher()
  }

  /** The number of a job: none has it twice. */
  nextId(): number {
    return this.next++
  }

  /** Gives it a job, of which somebody will hear. Throws `Malformed` for what cannot be carried. */
  begin(job: Message, ears: Ears): void {
    if (this.ended !== undefined) {
      ears.gone(this.ended)
      return
    }
    this.writer.send(job)
    this.jobs.set(job.id, ears)
    this.endIfUnread()
  }

  /** Has it do nothing until it is woken: what it has to say was said. */
  rest(): void {
    if (this.ended === undefined) this.started.rest()
  }

  wake(): void {
    if (this.ended === undefined) this.started.wake()
  }

  send(message: Message): void {
    if (this.ended !== undefined) return
    this.writer.send(message)
    this.endIfUnread()
  }

  private endIfUnread(): void {
    if (this.writer.unread > this.limits.unreadBytes) {
      this.end("WORKER_MISBEHAVED", "it does not read what it is sent")
    }
  }

  /** Nobody waits for a job any more. */
  forget(id: number): void {
    this.jobs.delete(id)
  }

  private hear(message: Message, length: number): void {
    if (this.ended !== undefined) return
    if (message.t === "hello") {
      const { greeted } = this
      this.greeted = undefined
      if (greeted === undefined) throw new Misbehaved("it introduced itself twice")
      greeted(message.value)
      return
    }
    if (message.t === "exit") {
      const { value } = message
      if (!Number.isSafeInteger(value)) throw new Misbehaved("it left with what is no exit code")
      this.end("WORKER_ENDED", `it ended with ${value}`)
      return
    }
    const job = message.t === "op" ? message.call : JOB.has(message.t) ? message.id : message.of
    if (typeof job !== "number") throw new Misbehaved("it spoke of no call")
    const ears = this.jobs.get(job)
    if (ears !== undefined) {
      ears.hear(message, length)
      return
    }
    // What was on its way when a job ended is late; all else was never asked.
    if (!(job > 0 && job < this.next && LATE.has(message.t))) {
      throw new Misbehaved("it spoke of a call that it was never given")
    }
    if (++this.late > this.limits.idle) throw new Misbehaved("it does not stop to speak of what is over")
  }

  /** Ends it by force, and says why it is gone: whoever waits for it hears that. */
  end(code: IsolatedError["code"], why: string): IsolatedError {
    if (this.ended !== undefined) return this.ended
    const detail = `the process of ${this.name} was lost: ${why}`
    const ended = new IsolatedError({ code, detail })
    this.ended = ended
    this.started.kill()
    this.started.socket.destroy()
    this.greeted?.(undefined)
    for (const ears of [...this.jobs.values()]) ears.gone(ended)
    this.jobs.clear()
    for (const watcher of this.watchers) watcher()
    this.watchers.clear()
    return ended
  }
}

/** Messages whose number is that of the job itself. */
const JOB = new Set(["done", "progress", "log", "cancelling"])

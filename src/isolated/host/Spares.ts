/**
 * Processes that wait to be used, and when those that were taken are made up for: to start one holds up the program, and
 * whatever call is under way with it.
 *
 * @since 0.1.0
 */
import type { Worker } from "./Worker.js"

/** For so long a call that has its process has the processors for itself, */
const ALONE = 50

/** and one that has to wait for its process, before others are started beside it. */
const STARTING = 250

/**
 * @since 0.1.0
 * @category models
 */
export class Spares {
  private readonly waiting: Array<Promise<Worker>> = []
  /** Calls that have their processes, and have not ended. */
  private calls = 0
  /** When those that are missing are started at the latest, */
  private later: NodeJS.Timeout | undefined
  private isPutOff = false
  /** and when nothing speaks against it. */
  private soon: NodeJS.Immediate | undefined
  private isClosed = false

  constructor(
    private readonly start: () => Promise<Worker>,
    /** How many are to wait. */
    private readonly wanted: number
  ) {}

  /** One that waits, or is about to, if there is any. */
  shift(): Promise<Worker> | undefined {
    return this.waiting.shift()
  }

  /** One that is started for whoever asks. Those that are missing are put off for it, once. */
  started(): Promise<Worker> {
    clearImmediate(this.soon)
    this.soon = undefined
    if (this.later !== undefined && !this.isPutOff) {
      clearTimeout(this.later)
      this.later = this.within(STARTING)
      this.isPutOff = true
    }
    return this.start()
  }

  /** One that nobody has used waits for the next call. */
  add(worker: Promise<Worker>): void {
    this.waiting.push(this.resting(worker))
  }

  /** Nobody waits for it. One is always left: where calls have less time than a start takes, the next one has it. */
  leave(worker: Promise<Worker>): void {
    if (this.waiting.length < Math.max(this.wanted, 1)) {
      this.waiting.unshift(this.resting(worker))
      return
    }
    worker.then(
      (one) => one.end("WORKER_ENDED", "nobody waited for it"),
      () => {}
    )
  }

  /** A call has its process. Those that are missing are started when the answer says that it has ended, or when it takes long. */
  begins(): () => void {
    this.calls++
    this.later ??= this.within(ALONE)
    return () => {
      this.calls--
      if (this.calls === 0 && this.later !== undefined) this.soon ??= setImmediate(this.fill)
    }
  }

  /** Starts as many as are missing. */
  readonly fill = (): void => {
    this.forget()
    while (!this.isClosed && this.waiting.length < this.wanted) this.add(this.start())
  }

  close(): void {
    this.isClosed = true
    this.forget()
    this.waiting.length = 0
  }

  private within(millis: number): NodeJS.Timeout {
    return setTimeout(this.fill, millis).unref()
  }

  private forget(): void {
    clearTimeout(this.later)
    clearImmediate(this.soon)
    this.later = undefined
    this.soon = undefined
    this.isPutOff = false
  }

  /**
   * One that waits to be used does nothing until then, whatever its module left running. One that ends while it waits, or
   * does not start, is nobody's.
   */
  private resting(worker: Promise<Worker>): Promise<Worker> {
    const drop = () => {
      const at = this.waiting.indexOf(worker)
      if (at >= 0) this.waiting.splice(at, 1)
    }
    worker.then((one) => {
      if (this.waiting.includes(worker)) one.rest()
      one.onEnd(drop)
    }, drop)
    return worker
  }
}

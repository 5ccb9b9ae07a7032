/**
 * The first process of a held child, as the system outside calls it. Ended by force, it takes along everything that the child
 * has started: it is the first of a namespace. Told anything else, it does not hear it, and its group does.
 *
 * @since 0.1.0
 */
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"

const POLL_MILLIS = 2

/** A process that the system has not ended by then is one that it does not end. */
const ROUNDS = 5000

const send = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export class Inside {
  private known: number | undefined

  /** `mark` stands in its environment, and in no other; `read` tells its number, once that is known. */
  constructor(
    readonly mark: string,
    private readonly read: () => string
  ) {}

  /** Its number. */
  get pid(): number | undefined {
    this.known ??= pidIn(this.read())
    return this.known
  }

  /** Whether it is still there. Its number may be another's by now; its mark may not. */
  isAlive(): boolean {
    const { pid } = this
    if (pid === undefined) return false
    try {
      // Who has ended and was not fetched yet has no environment.
      return readFileSync(`/proc/${pid}/environ`).includes(this.mark)
    } catch {
      return false
    }
  }

  /** To the group that the command began in. */
  signal(name: NodeJS.Signals): boolean {
    const { pid } = this
    return pid !== undefined && pid > 1 && this.isAlive() && send(-pid, name)
  }

  /** By force, with everything. */
  kill(): void {
    const { pid } = this
    if (pid !== undefined && pid > 1 && this.isAlive()) send(pid, "SIGKILL")
  }

  /** The same, and waits until nobody is left. */
  async end(): Promise<void> {
    for (let round = 0; round < ROUNDS && this.isAlive(); round++) {
      this.kill()
      await pause(POLL_MILLIS)
    }
  }
}

/** As bwrap tells it. The number is whole once something follows it. */
const pidIn = (text: string): number | undefined => {
  const found = /"child-pid": (\d+)\D/.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

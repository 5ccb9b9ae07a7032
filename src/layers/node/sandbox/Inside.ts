/**
 * The first process of a held child, as the system outside calls it. Ended by force, it takes along everything that the child
 * has started: it is the first of a namespace. Told anything else, it does not hear it, and its group does.
 *
 * @since 0.1.0
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { setImmediate as immediately, setTimeout as pause } from "node:timers/promises"

const POLL_MILLIS = 2

/** Most are gone before a timer would fire. */
const QUICK_ROUNDS = 50

/** A process that the system has not ended by then is one that it does not end. */
const ROUNDS = 5000

const send = (pid: number, signal: NodeJS.Signals | 0): boolean => {
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
    private readonly read: () => string,
    /** What the system calls its program. */
    private readonly name: string
  ) {}

  /** Its number. */
  get pid(): number | undefined {
    this.known ??= numberIn(this.read(), /"child-pid": (\d+)\D/)
    return this.known
  }

  /** The inode of its network namespace, by which nobody takes another process for it. */
  get namespace(): number | undefined {
    return numberIn(this.read(), /"net-namespace": (\d+)\D/)
  }

  /** Whether its command was executed and has ended, and not only what was to execute it. */
  get hasEnded(): boolean {
    return this.read().includes('"exit-code"')
  }

  /** Whether it can be told anything. Its number may be another's by now; its mark may not. */
  private hears(): boolean {
    const { pid } = this
    return pid !== undefined && carries(pid, this.mark)
  }

  /**
   * Whether it is still there. One that is ending has lost its environment already, and the others are ended only after
   * that: it is gone when the system says so.
   */
  isAlive(): boolean {
    const { pid } = this
    if (pid === undefined) return false
    const { name, state } = statOf(pid)
    return state !== "" && state !== "Z" && state !== "X" && name === this.name
  }

  /** Whether its command was begun: there is somebody beside the first. Where the system does not tell, a group says it. */
  get hasBegun(): boolean {
    const { pid } = this
    if (pid === undefined) return false
    const children = childrenOf(pid)
    return children === undefined ? this.hears() && send(-pid, 0) : children.length > 0
  }

  /**
   * Whether somebody beside the first still has the output that all were given: the first has it for as long as it lives, so
   * that nobody hears of its end. Where the system does not tell, somebody has it.
   */
  get speaks(): boolean {
    const { pid } = this
    const output = pid === undefined ? undefined : outputOf(pid)
    if (pid === undefined || output === undefined) return true
    const children = childrenOf(pid) ?? []
    return children.length === 0 || children.some((child) => hasBelow(child, output))
  }

  /** To the group that the command began in; `false` if no command has begun. */
  signal(name: NodeJS.Signals): boolean {
    const { pid } = this
    return pid !== undefined && pid > 1 && this.hears() && send(-pid, name)
  }

  /** Asks everybody to end, also who has left the group; `false` if no command has begun. */
  ask(): boolean {
    const { pid } = this
    if (pid === undefined || !this.signal("SIGTERM")) return false
    const asked = (one: number): void => {
      for (const child of childrenOf(one) ?? []) {
        asked(child)
        if (statOf(child).group !== pid) send(child, "SIGTERM")
      }
    }
    asked(pid)
    return true
  }

  /** By force, with everything. */
  kill(): void {
    const { pid } = this
    if (pid !== undefined && pid > 1 && this.hears()) send(pid, "SIGKILL")
  }

  /** The same, and waits until nobody is left. Only for when who made it has ended: nobody else is made then. */
  async end(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      const unknown = this.pid === undefined ? carrying(this.mark) : []
      if (unknown.length === 0 && !this.isAlive()) return
      for (const pid of unknown) send(pid, "SIGKILL")
      this.kill()
      await (round < QUICK_ROUNDS ? immediately() : pause(POLL_MILLIS))
    }
  }
}

/** Everybody who carries a mark: for one that died before it could tell who it had made. */
const carrying = (mark: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid && carries(pid, mark))

const carries = (pid: number, mark: string): boolean => {
  try {
    // Who has ended and was not fetched yet has no environment.
    return readFileSync(`/proc/${pid}/environ`).includes(mark)
  } catch {
    return false
  }
}

/** The children of a process, if the system tells. */
const childrenOf = (pid: number): ReadonlyArray<number> | undefined => {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1")
        .trim()
        .split(" ")
        .filter(Boolean)
        .map(Number)
    )
  } catch {
    return undefined
  }
}

const OUTPUT = 1

const outputOf = (pid: number): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/fd/${OUTPUT}`)
  } catch {
    return undefined
  }
}

/** Who may not be looked at may have it. */
const has = (pid: number, file: string): boolean => {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === file
      } catch {
        return false
      }
    })
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ENOENT")
  }
}

const hasBelow = (pid: number, file: string): boolean =>
  has(pid, file) || (childrenOf(pid) ?? []).some((child) => hasBelow(child, file))

const statOf = (pid: number) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")), state, group: Number(group) }
  } catch {
    return { name: "", state: "", group: 0 }
  }
}

/** As bwrap tells it. A number is whole once something follows it. */
const numberIn = (text: string, pattern: RegExp): number | undefined => {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** The gate of a held child: it is told of when it is born, and its command begins when it is let in. */
import type { ChildProcess } from "node:child_process"
import { Readable, Writable } from "node:stream"
import type { Wrapped } from "../sandbox/Bwrap.js"

export interface Gate {
  /** The number of its first process; nothing if it ended before. */
  readonly born: Promise<number | undefined>
  readonly release: () => void
  /** Whether the command has been let in. */
  readonly isOpen: () => boolean
  /** For a child that has ended. */
  readonly close: () => void
}

export const gateOf = ({ gate, inside }: Wrapped, { stdio }: ChildProcess): Gate | undefined => {
  if (gate === undefined) return undefined
  const [info, block] = [stdio[gate.info], stdio[gate.block]]
  if (!(info instanceof Readable && block instanceof Writable)) return undefined
  let told: (pid: number | undefined) => void = () => {}
  const born = new Promise<number | undefined>((resolve) => {
    told = resolve
  })
  info
    .on("error", () => {})
    .on("data", (chunk: Buffer) => {
      gate.tell(chunk.toString("latin1"))
      if (inside.pid !== undefined) told(inside.pid)
    })
  block.on("error", () => {})
  let isOpen = false
  return {
    born,
    release: () => {
      isOpen = true
      block.end("1")
    },
    isOpen: () => isOpen,
    close: () => {
      told(undefined)
      block.destroy()
    }
  }
}

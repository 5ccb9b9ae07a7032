/** What a child writes, up to a limit. What is past it is read and dropped, so that the child is neither held nor ended. */
import { isUtf8 } from "node:buffer"
import type { Process } from "../../../capabilities/process/Process.js"

export type Channel = Extract<Process.Event, { readonly bytes: unknown }>["_tag"]

export interface Sink {
  readonly write: (channel: Channel, chunk: Buffer) => void
}

/** How much of each channel was let through. */
export class Meter {
  private readonly left: Record<Channel, number>
  private readonly cut: Record<Channel, boolean> = { Stdout: false, Stderr: false }

  constructor(maxBytes: number) {
    this.left = { Stdout: maxBytes, Stderr: maxBytes }
  }

  /** As much of a chunk as there is room for. */
  admit(channel: Channel, chunk: Buffer): Buffer {
    const room = this.left[channel]
    if (chunk.length > room) this.cut[channel] = true
    const admitted = chunk.length > room ? chunk.subarray(0, room) : chunk
    this.left[channel] = room - admitted.length
    return admitted
  }

  isCut(channel: Channel): boolean {
    return this.cut[channel]
  }

  get truncated(): boolean {
    return this.cut.Stdout || this.cut.Stderr
  }
}

/** How many bytes a character has that begins with this one; 0 for one that begins none. */
const lengthOf = (first: number): number =>
  first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0

/** Without the first part of a character that the limit cut in two. */
const wholeCharacters = (bytes: Buffer): Buffer => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const length = lengthOf(bytes[bytes.length - back] ?? 0)
    if (length > back) return bytes.subarray(0, -back)
    if (length > 0) return bytes
  }
  return bytes
}

/** A channel as text, and as bytes where these are no text. */
interface Written {
  readonly text: string
  readonly bytes: Uint8Array | undefined
}

const NOTHING: Written = { text: "", bytes: undefined }

/** Bytes one after the other. A child that writes them one by one costs no more memory than another. */
class Bytes {
  private held: Buffer | undefined
  private length = 0

  add(chunk: Buffer): void {
    const { held, length } = this
    this.length = length + chunk.length
    if (held === undefined) {
      this.held = chunk
      return
    }
    const room = held.length >= this.length ? held : Buffer.allocUnsafe(this.length * 2)
    if (room !== held) held.copy(room, 0, 0, length)
    chunk.copy(room, length)
    this.held = room
  }

  get all(): Buffer | undefined {
    return this.held?.subarray(0, this.length)
  }
}

/** Keeps everything, for a result at the end. */
export class Capture implements Sink {
  private readonly channels: Record<Channel, Bytes> = { Stdout: new Bytes(), Stderr: new Bytes() }
  private readonly meter: Meter

  constructor(maxBytes: number) {
    this.meter = new Meter(maxBytes)
  }

  write(channel: Channel, chunk: Buffer): void {
    const admitted = this.meter.admit(channel, chunk)
    if (admitted.length > 0) this.channels[channel].add(admitted)
  }

  private written(channel: Channel): Written {
    const { all } = this.channels[channel]
    if (all === undefined) return NOTHING
    const whole = this.meter.isCut(channel) ? wholeCharacters(all) : all
    return { text: whole.toString("utf8"), bytes: isUtf8(whole) ? undefined : Uint8Array.from(all) }
  }

  get result(): Omit<Process.Result, "exitCode" | "signal"> {
    const [stdout, stderr] = [this.written("Stdout"), this.written("Stderr")]
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      truncated: this.meter.truncated,
      ...(stdout.bytes === undefined ? {} : { stdoutBytes: stdout.bytes }),
      ...(stderr.bytes === undefined ? {} : { stderrBytes: stderr.bytes })
    }
  }
}

const TAIL_BYTES = 2048

/** The last of what was written, for who has to tell why a child ended. */
export class Tail {
  private held: Buffer = Buffer.alloc(0)

  add(chunk: Buffer): void {
    this.held = chunk.length >= TAIL_BYTES ? chunk : Buffer.concat([this.held, chunk])
    if (this.held.length > TAIL_BYTES) this.held = this.held.subarray(this.held.length - TAIL_BYTES)
  }

  get text(): string {
    return this.held.toString("utf8")
  }
}

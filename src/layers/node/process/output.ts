/** What a child writes, up to a limit. What is past it is read and dropped, so that the child is neither held nor ended. */
import { StringDecoder } from "node:string_decoder"
import type { Process } from "../../../capabilities/process/Process.js"

export type Channel = Extract<Process.Event, { readonly bytes: unknown }>["_tag"]

export interface Sink {
  readonly write: (channel: Channel, chunk: Buffer) => void
}

/** How much of each channel was let through. */
export class Meter {
  private readonly left: Record<Channel, number>
  truncated = false

  constructor(maxBytes: number) {
    this.left = { Stdout: maxBytes, Stderr: maxBytes }
  }

  /** As much of a chunk as there is room for. */
  admit(channel: Channel, chunk: Buffer): Buffer {
    const room = this.left[channel]
    if (chunk.length > room) this.truncated = true
    const admitted = chunk.length > room ? chunk.subarray(0, room) : chunk
    this.left[channel] = room - admitted.length
    return admitted
  }
}

/** A channel as text. A character is read across chunks, and one that the limit cut in two is left out. */
class Text {
  private readonly decoder = new StringDecoder("utf8")
  private read = ""

  add(bytes: Buffer): void {
    this.read += this.decoder.write(bytes)
  }

  end(isWhole: boolean): string {
    return isWhole ? this.read + this.decoder.end() : this.read
  }
}

/** Keeps everything, for a result at the end. */
export class Capture implements Sink {
  private readonly texts: Partial<Record<Channel, Text>> = {}
  private readonly meter: Meter

  constructor(maxBytes: number) {
    this.meter = new Meter(maxBytes)
  }

  write(channel: Channel, chunk: Buffer): void {
    const admitted = this.meter.admit(channel, chunk)
    if (admitted.length === 0) return
    this.texts[channel] ??= new Text()
    this.texts[channel].add(admitted)
  }

  get truncated(): boolean {
    return this.meter.truncated
  }

  text(channel: Channel): string {
    return this.texts[channel]?.end(!this.meter.truncated) ?? ""
  }
}

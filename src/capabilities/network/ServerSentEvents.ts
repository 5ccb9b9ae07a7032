/** The format `text/event-stream` of the HTML standard, read as it comes. */
import { Chunk, Effect, Option, Stream } from "effect"
import { NetworkError } from "./NetworkOperations.js"

export interface ServerSentEvent {
  /** `message` where the server names none. */
  readonly event: string
  readonly data: string
  /** The last id that the server gave, with this event or before. */
  readonly id: string | undefined
  /** How many milliseconds to wait before asking again, where the server has said so, with this event or before. */
  readonly retry?: number | undefined
}

/** How long one event may be, in UTF-16 units: a server may never end one. */
const LONGEST = 1024 * 1024

const tooLong = () =>
  new NetworkError({
    code: "LIMIT_EXCEEDED",
    detail: `an event is longer than ${LONGEST} characters; read the stream of bytes instead`
  })

/** Two of its line ends together are one. */
const END_OF_LINE = /\r\n|\n|\r/g

class EventReader {
  #pending = ""
  #started = false
  #event = ""
  #data: Array<string> = []
  #size = 0
  #id: string | undefined
  #retry: number | undefined

  /** The events that end in this text. */
  read(text: string): Effect.Effect<Chunk.Chunk<ServerSentEvent>, NetworkError> {
    const events: Array<ServerSentEvent> = []
    const from = this.#pending.length === 0 ? 0 : this.#pending.length - 1
    const all = this.#pending + text
    let start = 0
    END_OF_LINE.lastIndex = from
    for (let found = END_OF_LINE.exec(all); found !== null; found = END_OF_LINE.exec(all)) {
      // The other half of a line end may be on its way.
      if (found[0] === "\r" && found.index === all.length - 1) break
      this.#line(all.slice(start, found.index), events)
      start = END_OF_LINE.lastIndex
    }
    this.#pending = all.slice(start)
    return this.#size + this.#pending.length > LONGEST
      ? Effect.fail(tooLong())
      : Effect.succeed(Chunk.unsafeFromArray(events))
  }

  #line(written: string, events: Array<ServerSentEvent>): void {
    const line = this.#started ? written : written.replace(/^\uFEFF/, "")
    this.#started = true
    if (line === "") {
      this.#dispatch(events)
      return
    }
    const colon = line.indexOf(":")
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
    if (name === "event") this.#event = value
    else if (name === "data") {
      this.#data.push(value)
      this.#size += value.length + 1
    } else if (name === "id" && !value.includes("\0")) this.#id = value
    else if (name === "retry" && /^\d{1,9}$/.test(value)) this.#retry = Number(value)
  }

  #dispatch(events: Array<ServerSentEvent>): void {
    const [event, data] = [this.#event, this.#data]
    this.#event = ""
    this.#data = []
    this.#size = 0
    if (data.length > 0) {
      events.push({
        event: event === "" ? "message" : event,
        data: data.join("\n"),
        id: this.#id,
        ...(this.#retry === undefined ? {} : { retry: this.#retry })
      })
    }
  }
}

/** The events of a body, each as soon as it has ended. One that the server does not end is none. */
export const eventsOf = (
  body: Stream.Stream<Uint8Array, NetworkError>
): Stream.Stream<ServerSentEvent, NetworkError> =>
  Stream.suspend(() => {
    const reader = new EventReader()
    const decoder = new TextDecoder()
    return Stream.mapChunksEffect(body, (chunks) =>
      reader.read(
        Chunk.toReadonlyArray(chunks)
          .map((chunk) => decoder.decode(chunk, { stream: true }))
          .join("")
      )
    )
  })

/** Why an answer is no stream of events. */
export const notEvents = (
  place: string,
  headers: Readonly<Record<string, string>>
): Option.Option<NetworkError> => {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? ""
  return /^\s*text\/event-stream\s*(?:;|$)/i.test(type)
    ? Option.none()
    : Option.some(
        new NetworkError({
          code: "DECODE_FAILED",
          detail: `the answer of ${place} is not a stream of events; read it with stream`
        })
      )
}

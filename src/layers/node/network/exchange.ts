/** One request and its answer on one line. */
import type { Transform } from "node:stream"
import type { Dispatcher } from "undici"
import { NetworkError } from "../../../capabilities/network/NetworkOperations.js"
import type { Http } from "../../../policy/lattice/Request.js"
import { broken, codeOf, exceeded, peerOf } from "../../http/HttpFailures.js"
import { decoded, folded } from "../../http/HttpHeaders.js"
import type { Sent } from "../../http/Redirects.js"
import { collect, decoderFor, encodingOf, Inlet, type Sink } from "./body.js"
import type { Settled } from "./limits.js"
import type { Line, Lines } from "./lines.js"

/** What is kept of a body: all of it at once, all of it as it comes, or nothing. */
export type Kept = "whole" | "flow" | "nothing"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly setCookies: ReadonlyArray<string>
  readonly body: Uint8Array | Inlet
  /** As it came, where the body was not kept: more than one is not one. */
  readonly location?: string | ReadonlyArray<string> | undefined
}

export interface Job {
  readonly request: Http
  readonly sent: Sent
  readonly lines: Lines
  readonly limits: Settled
  readonly keep: (status: number, headers: Readonly<Record<string, string>>) => Kept
  /** The headers are there. */
  readonly onHead: () => void
  readonly onAnswer: (answer: Answer) => void
  readonly onFail: (error: NetworkError) => void
  /** Nothing more will come, and the line is no longer used. */
  readonly onOver: () => void
  /** The server had closed the line before the request reached it: nothing came of it. */
  readonly onStale: () => void
}

const NOTHING = new Uint8Array(0)

/** How much of a body that nobody wants is read, so that its line can be used again. */
const WORTH_READING = 64 * 1024

const HUNG_UP: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])

const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

const pathOf = (url: string): string => {
  const start = url.indexOf("/", url.indexOf("//") + 2)
  const end = url.indexOf("#", start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #job: Job
  readonly #line: Line
  #controller: Dispatcher.DispatchController | undefined
  #sink: Sink | undefined
  #encoding: string | undefined
  #decoder: Transform | undefined
  #bytes = 0
  #decodedBytes = 0
  #headSeen = false
  /** The line is no longer ours. */
  #off = false
  /** Nobody listens any more. */
  #over = false

  constructor(line: Line, job: Job) {
    this.#line = line
    this.#job = job
    const { request, sent } = job
    const { body } = sent
    line.client.dispatch(
      {
        path: pathOf(request.url),
        method: request.method,
        headers: sent.headers,
        body: body === undefined ? null : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      },
      this
    )
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    raw: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  ): void {
    if (status < 200 || this.#over) return
    this.#headSeen = true
    const { keep, limits, onAnswer, onFail, onHead, request } = this.#job
    onHead()
    const headers = folded(raw)
    const setCookies = [raw["set-cookie"] ?? []].flat()
    const kept = keep(status, headers)
    if (kept === "nothing") {
      const end = () => onAnswer({ status, headers, setCookies, body: NOTHING, location: raw.location })
      this.#sink = { push: () => this.#bytes <= WORTH_READING || this.#enough(end), end, fail: onFail }
      return
    }
    if (request.method !== "HEAD" && Number(headers["content-length"]) > limits.bodyBytes) {
      this.fail(this.#tooLong("bodyBytes"))
      return
    }
    this.#encoding = request.method === "HEAD" ? undefined : encodingOf(headers)
    const shown = () => (this.#decoder === undefined ? headers : decoded(headers))
    if (kept === "whole") {
      this.#sink = collect((body) => onAnswer({ status, headers: shown(), setCookies, body }), onFail)
      return
    }
    const inlet = new Inlet()
    inlet.onWant = () => (this.#decoder === undefined ? this.#controller?.resume() : this.#decoder.resume())
    this.#sink = inlet
    // Whether there is anything to decompress is not known yet.
    onAnswer({
      status,
      headers: this.#encoding === undefined ? headers : decoded(headers),
      setCookies,
      body: inlet
    })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const sink = this.#sink
    if (this.#over || sink === undefined) return
    this.#bytes += chunk.length
    if (this.#bytes > this.#job.limits.bodyBytes) {
      this.fail(this.#tooLong("bodyBytes"))
    } else if (this.#encoding === undefined) {
      if (!sink.push(chunk)) controller.pause()
    } else {
      this.#decoder ??= this.#decoding(this.#encoding, chunk, sink)
      if (this.#decoder.write(chunk)) return
      controller.pause()
      this.#decoder.once("drain", () => controller.resume())
    }
  }

  onResponseEnd(): void {
    this.#release()
    if (this.#over) return
    if (this.#decoder !== undefined) this.#decoder.end()
    else this.#finish()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#over) return
    const { onStale, request } = this.#job
    if (!this.#headSeen && this.#line.used && REPEATABLE.has(request.method) && HUNG_UP.has(codeOf(error))) {
      this.cancel()
      onStale()
    } else this.fail(broken(request, error))
  }

  fail(error: NetworkError): void {
    if (this.#over) return
    this.cancel()
    if (this.#sink === undefined) this.#job.onFail(error)
    else this.#sink.fail(error)
    this.#job.onOver()
  }

  /** Stops listening; a line with something still on its way is closed. */
  cancel(): void {
    this.#over = true
    this.#decoder?.destroy()
    if (this.#off) return
    this.#off = true
    this.#job.lines.drop(this.#line)
  }

  #enough(end: () => void): boolean {
    this.cancel()
    end()
    return true
  }

  #finish(): void {
    this.#over = true
    this.#sink?.end()
    this.#job.onOver()
  }

  #release(): void {
    if (this.#off) return
    this.#off = true
    this.#job.lines.park(this.#line)
  }

  #decoding(encoding: string, first: Uint8Array, sink: Sink): Transform {
    const { limits, request } = this.#job
    const decoder = decoderFor(encoding, first)
    decoder.on("data", (chunk: Buffer) => {
      if (this.#over) return
      this.#decodedBytes += chunk.length
      if (this.#decodedBytes > limits.decodedBytes) this.fail(this.#tooLong("decodedBytes"))
      else if (!sink.push(chunk)) decoder.pause()
    })
    decoder.on("end", () => {
      if (!this.#over) this.#finish()
    })
    decoder.on("error", () =>
      this.fail(
        new NetworkError({
          code: "DECODE_FAILED",
          detail: `the body that ${peerOf(request)} answers with is not the ${encoding} that it says; ask for it with accept-encoding: identity`
        })
      )
    )
    return decoder
  }

  #tooLong(limit: "bodyBytes" | "decodedBytes"): NetworkError {
    const { limits, request } = this.#job
    return exceeded(
      `the body that ${peerOf(request)} answers with is longer than ${limits[limit]} bytes; ask for less, or raise the limit ${limit}`
    )
  }
}

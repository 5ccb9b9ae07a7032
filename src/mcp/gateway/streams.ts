/**
 * Streams of a server that others run: the one on which it says what belongs to no request, and those of answers. One that
 * breaks off is taken up where it broke off, if the server says by which id.
 */
import { Duration, Effect, Either, type Redacted, Stream } from "effect"
import type { Network } from "../../capabilities/network/Network.js"
import type { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import { eventsOf } from "../../capabilities/network/ServerSentEvents.js"
import type { Limits } from "./Limits.js"

export interface Place {
  readonly service: Network.Service
  readonly url: string
  readonly headers: () => Readonly<Record<string, string | Redacted.Redacted>>
  readonly limits: Limits
  /** The server does not know its session any more. */
  readonly forgotten: () => void
}

type Opened = Effect.Effect.Success<ReturnType<Network.Service["open"]>>

/** As the protocol has it, and no longer than anybody needs. */
const isEventId = (id: string | undefined): id is string =>
  id !== undefined && /^[\x21-\x7e]{1,512}$/.test(id)

/** Where a stream stands: by which id it is taken up, and how long the server wants that to wait. */
export interface Mark {
  readonly last?: string | undefined
  readonly retry?: number | undefined
}

/** Where a stream ended, and why, if it broke off. */
export interface Read extends Mark {
  readonly why: NetworkError | undefined
}

/** What it said before it broke off was heard. Nobody reads on where `goesOn` says so: a server may leave it open for ever. */
export const readEvents = (
  { body }: Pick<Opened, "body">,
  heard: (data: string) => void,
  goesOn: () => boolean = () => true,
  before: Mark = {}
): Effect.Effect<Read, never, Network> => {
  let { last, retry } = before
  const reading = Stream.runForEachWhile(eventsOf(body), (event) =>
    Effect.sync(() => {
      if (isEventId(event.id)) last = event.id
      retry = event.retry ?? retry
      heard(event.data)
      return goesOn()
    })
  )
  return Effect.match(reading, {
    onFailure: (why) => ({ last, retry, why }),
    onSuccess: () => ({ last, retry, why: undefined })
  })
}

const STREAM = /^\s*text\/event-stream\s*(?:;|$)/i

export const isStream = ({ headers }: Pick<Opened, "headers">): boolean =>
  STREAM.test(headers["content-type"] ?? "")

/** The status for a session that the server does not know any more: whoever comes back begins a new one. */
export const GONE = 404

/** Asks for a stream, from where it broke off if that is known. Nothing where the server has none for us. */
const asked = (
  { forgotten, headers, service, url }: Place,
  last: string | undefined
): Effect.Effect<Opened | undefined, NetworkError, Network> =>
  Effect.flatMap(
    service.open("GET", url, {
      headers: {
        ...headers(),
        accept: "text/event-stream",
        ...(last === undefined ? {} : { "last-event-id": last })
      },
      redirects: "same-host"
    }),
    (answer) => {
      if (answer.status === 200 && isStream(answer)) return Effect.succeed(answer)
      if (answer.status === GONE) forgotten()
      return Effect.as(answer.close, undefined)
    }
  )

/** How often in a row it may fail, before nobody asks again by itself. */
const ATTEMPTS = 4

/** A stream that lasted so long has done what it is for; of one that is closed again and again less is asked. */
const STEADY_MILLIS = 10_000

/** As long as the server wants, within our own bounds. */
const pauseOf = ({ longestPauseMillis }: Limits, least: number, { retry = 0 }: Mark): number =>
  Math.min(longestPauseMillis, Math.max(least, retry))

interface Past {
  readonly mark: Mark
  readonly failures: number
  readonly short: number
}

/**
 * Listens for as long as the server has a stream for us: what ends after a while is asked for again. The answer is where to go on
 * once the server is there again; nothing, where it has no such stream.
 */
export const standing = (
  place: Place,
  heard: (data: string) => void,
  from: Mark
): Effect.Effect<Mark | undefined, never, Network> => {
  const { limits } = place
  const later = (past: Past): Effect.Effect<Mark | undefined, never, Network> => {
    const least = limits.firstPauseMillis * 2 ** Math.max(past.failures, past.short)
    return Effect.zipRight(Effect.sleep(pauseOf(limits, least, past.mark)), again(past))
  }
  const again = ({ failures, mark, short }: Past): Effect.Effect<Mark | undefined, never, Network> =>
    Effect.flatMap(Effect.either(asked(place, mark.last)), (opened) => {
      if (Either.isLeft(opened)) {
        return failures + 1 < ATTEMPTS ? later({ mark, short, failures: failures + 1 }) : Effect.succeed(mark)
      }
      if (opened.right === undefined) return Effect.succeed(undefined)
      return Effect.flatMap(Effect.timed(readEvents(opened.right, heard, undefined, mark)), ([time, read]) =>
        later({ mark: read, failures: 0, short: Duration.toMillis(time) < STEADY_MILLIS ? short + 1 : 0 })
      )
    })
  return again({ mark: from, failures: 0, short: 0 })
}

/**
 * Takes up the stream of an answer that broke off, until there is the answer, or nothing to take it up by. A server may close
 * it again and again while it works: as long as it gets further, that is no failure.
 */
export const resumed = (
  place: Place,
  from: Mark,
  isWaitedFor: () => boolean,
  heard: (data: string) => void
): Effect.Effect<void, never, Network> => {
  const { limits } = place
  const again = (mark: Mark, left: number): Effect.Effect<void, never, Network> => {
    if (mark.last === undefined || left === 0 || !isWaitedFor()) return Effect.void
    const opened = Effect.orElseSucceed(asked(place, mark.last), () => undefined)
    return Effect.zipRight(
      Effect.sleep(pauseOf(limits, limits.firstPauseMillis, mark)),
      Effect.flatMap(opened, (answer) =>
        answer === undefined
          ? again(mark, left - 1)
          : Effect.flatMap(readEvents(answer, heard, isWaitedFor, mark), (read) =>
              again(read, read.last === mark.last ? left - 1 : ATTEMPTS)
            )
      )
    )
  }
  return again(from, ATTEMPTS)
}

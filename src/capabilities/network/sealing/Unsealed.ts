/**
 * Answers to a tool that has sealed secrets, without the secrets: in the head, in the body, and in what went wrong. Also those
 * to requests that carried none: a server may keep what it was sent, and say it later.
 *
 * @since 0.1.0
 */
import { Cause, Chunk, Effect, Either, Option } from "effect"
import { prettyCause } from "../../../policy/text/PrettyCause.js"
import type { Scrubbing } from "../../secrets/Sealing.js"
import { NetworkError, type NetworkHead, type NetworkResponse } from "../NetworkOperations.js"
import type { Flow, Pull } from "../NetworkParts.js"
import { isPacked } from "./Outgoing.js"

type Head = typeof NetworkHead.Type
type Response = typeof NetworkResponse.Type

/** What was asked for, as the tool wrote it, and as it was sent. */
interface Asked {
  readonly method: string
  readonly written: string
  readonly sent: string
  /** Whether an answer that nobody can look into is refused. */
  readonly isSent: () => boolean
}

/** Nobody can look into what is compressed in a way that was not undone. */
const isOpaque = ({ isSent, method }: Asked, { headers, status }: Head): boolean => {
  const isEmpty = method === "HEAD" || status === 204 || status === 304
  return !isEmpty && isPacked(headers["content-encoding"], headers["transfer-encoding"]) && isSent()
}

const opaque = () =>
  new NetworkError({
    code: "REQUEST_FAILED",
    detail:
      "a sealed secret was sent, and the answer is compressed in a way that cannot be undone here; ask for it with accept-encoding: identity"
  })

/** The address that was asked for is known to the tool as it wrote it. */
const headOf = (scrubbing: Scrubbing, asked: Asked, head: Head): Either.Either<Head, NetworkError> =>
  isOpaque(asked, head)
    ? Either.left(opaque())
    : Either.right({
        status: head.status,
        headers: scrubbing.value(head.headers),
        setCookies: scrubbing.value(head.setCookies),
        url: head.url === asked.sent ? asked.written : scrubbing.text(head.url)
      })

const failure =
  (scrubbing: Scrubbing) =>
  (error: NetworkError): NetworkError => {
    const { code, denial, detail } = error
    return new NetworkError({
      code,
      detail: scrubbing.text(detail),
      ...(denial === undefined ? {} : { denial: scrubbing.value(denial) })
    })
  }

/** What a backend dies of may hold what it was given. */
const unbroken =
  (scrubbing: Scrubbing) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchAllDefect(effect, (defect) => {
      const pretty = prettyCause(Cause.die(defect))
      const shown = scrubbing.text(pretty)
      return Effect.die(shown === pretty ? defect : new Error(shown))
    })

/**
 * @since 0.1.0
 * @category combinators
 */
export const response = (
  answer: Effect.Effect<Response, NetworkError>,
  scrubbing: Scrubbing,
  asked: Asked
): Effect.Effect<Response, NetworkError> =>
  Effect.mapError(
    Effect.flatMap(unbroken(scrubbing)(answer), (found) =>
      Either.map(headOf(scrubbing, asked, found), (head) => ({ ...head, body: scrubbing.bytes(found.body) }))
    ),
    failure(scrubbing)
  )

/** Bytes are handed on once they cannot be the beginning of a value. */
const sifted = (scrubbing: Scrubbing, pull: Pull, byLine: boolean): Pull => {
  const sieve = scrubbing.sieve(byLine)
  let isOver = false
  return Effect.matchEffect(
    Effect.suspend(() => (isOver ? Effect.fail(Option.none()) : unbroken(scrubbing)(pull))),
    {
      onSuccess: (chunks) =>
        Effect.succeed(
          Chunk.filter(
            Chunk.map(chunks, (bytes) => sieve.push(bytes)),
            ({ length }) => length > 0
          )
        ),
      onFailure: (end) => {
        if (Option.isSome(end)) return Effect.fail(Option.some(failure(scrubbing)(end.value)))
        const rest = isOver ? new Uint8Array(0) : sieve.end()
        isOver = true
        return rest.length === 0 ? Effect.fail(Option.none()) : Effect.succeed(Chunk.of(rest))
      }
    }
  )
}

/**
 * @since 0.1.0
 * @category combinators
 */
export const flow = (
  opening: Effect.Effect<Flow, NetworkError>,
  scrubbing: Scrubbing,
  asked: Asked
): Effect.Effect<Flow, NetworkError> =>
  Effect.mapError(
    Effect.flatMap(unbroken(scrubbing)(opening), ({ head, pull, whole }) =>
      Either.map(headOf(scrubbing, asked, head), (shown) => ({
        head: shown,
        pull: sifted(scrubbing, pull, /^text\/event-stream\b/i.test(head.headers["content-type"] ?? "")),
        whole: whole && Effect.map(unbroken(scrubbing)(whole), (body) => body && scrubbing.bytes(body))
      }))
    ),
    failure(scrubbing)
  )

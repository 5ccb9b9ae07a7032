/**
 * What everything that sends requests must do. Each case is an Effect that needs a `NetworkBackend` and no test runner:
 * run them against each layer you write.
 *
 * The cases talk to a server, which you start and stop, in any language. It listens at a loopback address and speaks
 * HTTP/1.1. `ID` is any text of letters, digits and dashes; requests with `id=ID` in their query are counted by it and
 * known by it while they are open.
 *
 * | Request | Answer |
 * |---|---|
 * | any `/echo…` | 200, and as JSON `method`, `url` (path and query, as they came), `headers` (names in small letters) and `body` (base64) of the request |
 * | any `/bytes/N` | 200 and N bytes, the one at index i being 7·i modulo 256, with a `content-length` |
 * | any `/chunked/N` | the same without a `content-length` |
 * | any `/zipped/N` | the same, as gzip with `content-encoding: gzip` where `accept-encoding` names gzip |
 * | any `/status/S` | status S, with the text `status S`; 204 and 304 have no body |
 * | any `/headers` | 200, with the two lines `x-twice: one` and `x-twice: two`, and the line `X-Mixed: Case` |
 * | any `/cookies` | 200, with the two lines `set-cookie: a=1, 2; path=/` and `set-cookie: b=3` |
 * | any `/redirect/S?to=URL` | status S and `location: URL`, decoded; no body |
 * | any `/loop` | status 302 and `location: /loop` |
 * | any `/silent` | nothing, ever |
 * | any `/head` | 200 at once, then nothing more, ever |
 * | any `/hang` | 200 and the text `a` at once, then nothing more, ever |
 * | any `/flood` | 200 and zeros, as long as the client takes them |
 * | any `/broken` | 200, `content-length: 100`, the text `half`; then the connection is cut |
 * | `GET /seen/ID` | 200, and in digits how many requests with that id have come |
 * | `GET /arrived/ID` | 204, as soon as one has come |
 * | `GET /gone/ID` | 204, as soon as one has come and none is open: answered, or its connection closed |
 * | `GET /flooded/ID` | 200, and in digits how many bytes the `/flood` with that id has given to its connection |
 *
 * `HEAD` has the answer of `GET` without its body.
 *
 * @since 0.1.0
 */
import { answers } from "./networkAnswers.js"
import type { Case, Rig } from "./networkCase.js"
import { connections, whereNobodyIs } from "./networkConnections.js"
import { leading } from "./networkLeading.js"

export {
  /**
   * @since 0.1.0
   * @category errors
   */
  ContractBroken
} from "./contract.js"

export type {
  /**
   * @since 0.1.0
   * @category models
   */
  Case,
  /**
   * @since 0.1.0
   * @category models
   */
  Rig
} from "./networkCase.js"

/**
 * The cases that can be run with what the rig has, each for itself: in any order, at the same time, and against a
 * server that others use too.
 *
 * @since 0.1.0
 * @category cases
 */
export const cases = (rig: Rig): ReadonlyArray<Case> => {
  const missing = new Set<Case["about"]>()
  if (rig.other === undefined) missing.add("redirects")
  if (rig.limits === undefined) missing.add("limits")
  const nowhere = rig.nobody === undefined ? [] : [whereNobodyIs(rig.nobody)]
  return [...answers, ...leading, ...connections, ...nowhere]
    .map((definition) => definition(rig))
    .filter(({ about }) => !missing.has(about))
}

/**
 * Follows the links of a path by hand, to the path that a permission is asked for. `..` in a link is taken by the
 * letter, so that nothing outside is looked at to find out where a link leads back in.
 */
import * as fs from "node:fs"
import { Effect, Either } from "effect"
import { FilesBackend } from "../../../capabilities/files/FilesBackend.js"
import type { FilesError } from "../../../capabilities/files/FilesOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type * as Request from "../../../policy/lattice/Request.js"
import { call } from "../disk/Disk.js"
import { kept, loop, outside, Trouble, unsettled, type Verb, words } from "../disk/Trouble.js"
import { also, reads, refusal } from "./reach.js"

/** What is asked for, and whether a link at its end is meant itself. */
export interface Place {
  readonly proof: Proof<Request.Scoped>
  readonly verb: Verb
  readonly leaf: "follow" | "keep"
}

/** As many as Linux follows. */
const HOPS = 40

/** How often what changes between two looks is looked at again. */
const ROUNDS = 8

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((part) => part !== "")

const normal = (segments: ReadonlyArray<string>): ReadonlyArray<string> => {
  const kept: Array<string> = []
  for (const segment of segments) {
    if (segment === "..") kept.pop()
    else if (segment !== "" && segment !== ".") kept.push(segment)
  }
  return kept
}

/** Where the link at the end of a path points, if there is one. */
const targetOf = (path: string): Effect.Effect<string | undefined, Trouble> =>
  Effect.catchIf(
    call<string | undefined>((done) => fs.readlink(path, done)),
    ({ code }) => code === "EINVAL",
    () => Effect.succeed(undefined)
  )

const follow = (
  asked: string,
  leaf: Place["leaf"]
): Effect.Effect<{ readonly path: string; readonly endless: boolean }> =>
  Effect.gen(function* () {
    let segments = segmentsOf(asked)
    let hops = 0
    for (let i = 0; i < segments.length - (leaf === "keep" ? 1 : 0); ) {
      const above = segments.slice(0, i)
      const found = yield* Effect.either(targetOf(`/${segments.slice(0, i + 1).join("/")}`))
      // What is missing or closed ends the search: nothing below it can be a link that we could follow.
      if (Either.isLeft(found)) break
      if (found.right === undefined) {
        i++
        continue
      }
      const target = found.right.split("/")
      segments = normal([
        ...(found.right.startsWith("/") ? target : [...above, ...target]),
        ...segments.slice(i + 1)
      ])
      i = 0
      if (++hops > HOPS) return { path: `/${segments.join("/")}`, endless: true }
    }
    return { path: `/${segments.join("/")}`, endless: false }
  })

/** The path without links that the asked one stands for, if that is permitted too. */
const settle = ({ leaf, proof, verb }: Place, asked: string): Effect.Effect<string, FilesError> =>
  Effect.flatMap(follow(asked, leaf), ({ endless, path }) => {
    if (path === asked) return endless ? Effect.fail(loop(proof, asked)) : Effect.succeed(path)
    if (Either.isLeft(also(proof, verb, path))) return Effect.fail(outside(proof, verb, asked))
    return endless ? Effect.fail(loop(proof, asked)) : Effect.succeed(path)
  })

/** Whether a link ends where nothing may be read; nobody hears of the question. A loop ends nowhere. */
export const leadsOut = (proof: Proof<Request.Scoped>, link: string): Effect.Effect<boolean> =>
  Effect.map(follow(link, "follow"), ({ endless, path }) => endless || !reads(proof, path))

/**
 * Tries a path as it was asked for. Only if that fails are its links looked at, and what they lead to is tried
 * instead: it must be permitted, and without links in its turn.
 */
export const located = <A>(
  place: Place,
  attempt: (path: string) => Effect.Effect<A, FilesError | Trouble>
): Effect.Effect<A, FilesError> => {
  const asked = FilesBackend.pathOf(place.proof)
  const isOfVerb = FilesBackend.pathFor(place.proof, place.verb)
  if (Either.isLeft(isOfVerb)) return Effect.fail(isOfVerb.left)
  const again = (path: string, left: number, trouble: Trouble): Effect.Effect<A, FilesError> =>
    Effect.flatMap(settle(place, asked), (settled) => {
      if (left === 0) return Effect.fail(unsettled(place.proof, asked))
      if (settled !== path || trouble.code === "ELSEWHERE") return round(settled, left - 1)
      return Effect.fail(
        trouble.code === "KEPT" ? kept(place.proof, place.verb, asked) : words(place.verb, asked, trouble)
      )
    })
  const round = (path: string, left: number): Effect.Effect<A, FilesError> =>
    Effect.catchAll(attempt(path), (error) =>
      error._tag === "Trouble" ? again(path, left, error) : Effect.fail(error)
    )
  // The disk knows another name for text that is not well formed than the one that was checked.
  if (LONE_SURROGATE.test(asked)) return Effect.fail(words(place.verb, asked, new Trouble("MALFORMED")))
  const refused = refusal(place.proof, place.verb, asked)
  return refused === undefined ? round(asked, ROUNDS) : Effect.fail(refused)
}

const LONE_SURROGATE = /\p{Surrogate}/u

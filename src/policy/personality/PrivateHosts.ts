/** Hosts as personalities and workspaces name them, and those of them that may be at addresses that are not public. */
import { Either } from "effect"
import * as Floor from "../gate/floor/Floor.js"
import { endpoint } from "../lattice/dimensions/Endpoint.js"
import { facets } from "../lattice/Facets.js"
import type * as Glob from "../lattice/Glob.js"
import * as Host from "../lattice/Host.js"
import * as Request from "../lattice/Request.js"
import { scopeProblem } from "../lattice/ScopeProblem.js"
import { ScopeSet } from "../lattice/ScopeSet.js"
import type { Reading } from "../text/Problem.js"
import { quote } from "../text/Quote.js"
import { problem } from "../text/StrictYaml.js"
import type { Text } from "../text/YamlShape.js"

/** A host that is always refused opens nothing, and whoever wrote it believes otherwise. */
const aboveTheFloor = (given: Text, host: string): Reading<void> => {
  const request = Request.http("GET", `http://${host}/`)
  return Either.isRight(request) && Floor.forbids(Floor.standard, request.right) !== undefined
    ? problem("HOST_INVALID", given, `${quote(given.text)} is refused by every policy`, "delete the entry")
    : Either.void
}

export const allowed = (given: Text): Reading<Host.HostPattern> =>
  Either.gen(function* () {
    const pattern = yield* Either.mapLeft(Host.parsePattern(given.text), scopeProblem(given))
    if (pattern._tag === "Exact") yield* aboveTheFloor(given, pattern.host)
    return pattern
  })

export interface PrivateHost {
  readonly glob: Glob.Glob
  readonly host: Host.HostPattern
}

const PORTED = /^(.*):(\d+)$/s

/** `endpoint.element` reads one host and one port, `parse` also patterns: a private address is always named. */
export const privately = (given: Text): Reading<PrivateHost> =>
  Either.gen(function* () {
    yield* Either.mapLeft(endpoint.element(given.text), scopeProblem(given))
    const glob = yield* Either.mapLeft(endpoint.parse(given.text), scopeProblem(given))
    const host = yield* allowed({ ...given, text: PORTED.exec(given.text)?.[1] ?? given.text })
    return { glob, host }
  })

/** What may be connected to, of endpoints that were read. */
export const connecting = (hosts: ReadonlyArray<PrivateHost>): ScopeSet =>
  ScopeSet.make(
    facets.private.connect,
    hosts.map(({ glob }) => ({ endpoint: [glob] }))
  )

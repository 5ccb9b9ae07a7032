/** The category `network`, as the table of categories has it. */
import { Either } from "effect"
import { endpoint } from "../../policy/lattice/dimensions/Endpoint.js"
import * as Host from "../../policy/lattice/Host.js"
import { HostSet } from "../../policy/lattice/HostSet.js"
import { backendOf, type Description, type Reading } from "../Category.js"
import { nothing, type Parsed, scopesOf } from "../scopes.js"
import type { IfUnused, List, Quoted, Undeclared } from "../sentences.js"
import { Network, NetworkDeclaration } from "./Network.js"
import { NetworkBackend } from "./NetworkBackend.js"
import { NetworkError } from "./NetworkOperations.js"
import { scoped } from "./ScopedNetwork.js"

type Declared = typeof NetworkDeclaration.Type

/** The sentence about a requirement that is not covered. */
export type Complaint<X> =
  X extends Network.Host<infer H>
    ? Undeclared<`network.allowedHosts needs '${H}'`>
    : X extends Network.Refused<infer U>
      ? `url '${U}' is always refused: only http and https, without user info`
      : X extends Network
        ? Undeclared<"network">
        : never

/** A sentence for each host that is declared and never used; what children use, nobody sees here. */
export type Unused<R, D> = Network extends R
  ? never
  : D extends Network.ForChildren
    ? never
    : UnusedHost<R, List<D, "allowedHosts">>

type UnusedHost<R, H extends string> = H extends unknown
  ? IfUnused<R, Network.Declared<H>, `network.allowedHosts ${Quoted<H>}`>
  : never

const hostSet = (patterns: ReadonlyArray<string>, { deferred }: Reading): Parsed<HostSet> =>
  Either.map(Either.all(patterns.map(Host.parsePattern)), (parsed) =>
    HostSet.make(parsed.filter((pattern) => deferred === "everything" || pattern._tag !== "Any"))
  )

/** Every port of the declared hosts: which of them may be private, a policy says. */
const endpoints = (patterns: ReadonlyArray<string>, { deferred }: Reading) =>
  scopesOf(nothing.private.connect, "endpoint", endpoint.parse, deferred === "nothing" ? [] : patterns)

export const category = {
  declaration: NetworkDeclaration,
  error: NetworkError,
  tags: [Network],
  backends: [NetworkBackend],
  facet: "network",
  aliases: ["net", "http", "https", "fetch", "web", "hosts", "internet"],
  isForChildren: (declared) => declared.for === "children",
  surface: ({ allowedHosts, for: whom }) => [
    { label: whom === undefined ? "network" : `network for ${whom}`, items: allowedHosts }
  ],
  listed: ({ allowedHosts, ...others }) =>
    allowedHosts.map((host) => ({
      key: others.for === undefined ? "network.allowedHosts" : `network.allowedHosts for ${others.for}`,
      value: host,
      alone: { ...others, allowedHosts: [host] },
      open: host === "*"
    })),
  authority: ({ allowedHosts }, reading) =>
    Either.gen(function* () {
      const hosts = yield* hostSet(allowedHosts, reading)
      return {
        network: { get: hosts, post: hosts, put: hosts, delete: hosts },
        private: { connect: yield* endpoints(allowedHosts, reading) }
      }
    }),
  services: (_, making) => [
    [
      Network.key,
      Network.make(scoped(making.holder, backendOf(making, NetworkBackend), making.hidden, making.sealing))
    ]
  ]
} as const satisfies Description<Declared>

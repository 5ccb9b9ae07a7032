/**
 * A tool's declaration as an authority: the one bridge from what tools write to the lattice.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Authority from "../policy/lattice/Authority.js"
import * as Command from "../policy/lattice/dimensions/Command.js"
import { endpoint } from "../policy/lattice/dimensions/Endpoint.js"
import * as Id from "../policy/lattice/dimensions/Id.js"
import * as Name from "../policy/lattice/dimensions/Name.js"
import * as Path from "../policy/lattice/dimensions/Path.js"
import * as Ref from "../policy/lattice/dimensions/Ref.js"
import type { Scopes } from "../policy/lattice/Facets.js"
import * as Host from "../policy/lattice/Host.js"
import { HostSet } from "../policy/lattice/HostSet.js"
import { invalid, type ScopeInvalid } from "../policy/lattice/ScopeInvalid.js"
import { type Constraints, ScopeSet } from "../policy/lattice/ScopeSet.js"
import type { Capabilities } from "./Capabilities.js"

/**
 * What `~` stands for. Without a home, a path that starts with `~/` is an error.
 *
 * @since 0.1.0
 * @category models
 */
export interface Places {
  readonly home?: string
}

type Parsed<A> = Either.Either<A, ScopeInvalid>

type Deferred = "everything" | "nothing"

const everything = Authority.everything.scopes

const nothing = Authority.nothing.scopes

const hostSet = (patterns: ReadonlyArray<string>, deferred: Deferred): Parsed<HostSet> =>
  Either.map(Either.all(patterns.map(Host.parsePattern)), (parsed) =>
    HostSet.make(parsed.filter((pattern) => deferred === "everything" || pattern._tag !== "Any"))
  )

const scopeSet = (of: ScopeSet, alternatives: ReadonlyArray<Parsed<Constraints>>): Parsed<ScopeSet> =>
  Either.map(Either.all(alternatives), (all) => ScopeSet.make(of.dimensions, all))

/** Every port of the declared hosts: which of them may be private, a policy says. */
const endpoints = (patterns: ReadonlyArray<string>, deferred: Deferred): Parsed<ScopeSet> =>
  deferred === "nothing"
    ? Either.right(nothing.private.connect)
    : scopeSet(
        nothing.private.connect,
        patterns.map((text) => Either.map(endpoint.parse(text), (glob) => ({ endpoint: [glob] })))
      )

const tree = (text: string, { home }: Places): Parsed<Constraints> => {
  const atHome = /^~(\/|$)/.test(text)
  if (atHome && home === undefined) {
    return invalid("PATH_INVALID", `'${text}' starts at a home, and there is none here; name the directory`)
  }
  if (atHome && !home?.startsWith("/")) return invalid("PATH_INVALID", "a home is an absolute path")
  return Either.map(Path.parseTree(atHome ? `${home}${text.slice(1)}` : text), (glob) => ({ path: [glob] }))
}

const reach = (
  paths: ReadonlyArray<string> | "from-personality" | undefined,
  places: Places,
  deferred: Deferred
): Parsed<ScopeSet> =>
  paths === "from-personality"
    ? Either.right(deferred === "everything" ? everything.files.read : nothing.files.read)
    : scopeSet(
        nothing.files.read,
        (paths ?? []).map((text) => tree(text, places))
      )

const commands = (names: ReadonlyArray<string>, deferred: Deferred): Parsed<Scopes["process"]> => {
  const open = names.includes("*") && deferred === "everything"
  if (open) return Either.right(everything.process)
  return Either.map(
    scopeSet(
      nothing.process.exec,
      names
        .filter((name) => name !== "*")
        .map((name) => Either.map(Command.parseName(name), (glob) => ({ argv: [glob] })))
    ),
    (exec) => ({ exec, eval: nothing.process.eval })
  )
}

const kinds = (declared: ReadonlyArray<string> | "*", deferred: Deferred): Parsed<ScopeSet> =>
  declared === "*" || declared.includes("*")
    ? Either.right(deferred === "everything" ? everything.attachments.read : nothing.attachments.read)
    : scopeSet(
        nothing.attachments.read,
        declared.map((kind) => Either.map(Name.attachmentKind.parse(kind), (glob) => ({ kind: [glob] })))
      )

/** The same scope for each verb that is declared, and none for the others. */
const forVerbs = <V extends string, S>(verbs: ReadonlyArray<V>, scope: S): { readonly [K in V]?: S } =>
  Object.fromEntries(verbs.map((verb) => [verb, scope])) as { readonly [K in V]?: S }

const compile = (declared: Capabilities, places: Places, deferred: Deferred): Parsed<Authority.Authority> =>
  Either.gen(function* () {
    const { agents, attachments, fs_reach, network, process, records, secrets, storage } = declared
    // Without classes or ids, which of them is left to the policy.
    const left = deferred === "everything" ? everything : nothing
    const hosts = yield* hostSet(network?.allowedHosts ?? [], deferred)
    const write = yield* reach(fs_reach?.write, places, deferred)
    const classes = records?.classes?.map((name) =>
      Either.map(Name.recordClass.parse(name), (glob): Constraints => ({ class: [glob] }))
    )
    const ids = agents?.ids?.map((id) =>
      Either.map(Id.agentId.parse(id), (glob): Constraints => ({ id: [glob] }))
    )
    return Authority.make({
      network: { get: hosts, post: hosts, put: hosts, delete: hosts },
      private: { connect: yield* endpoints(network?.allowedHosts ?? [], deferred) },
      files: { read: yield* reach(fs_reach?.read, places, deferred), write, delete: write },
      process: yield* commands(process?.allowedBinaries ?? [], deferred),
      secrets: {
        read: yield* scopeSet(
          nothing.secrets.read,
          (secrets ?? []).map((ref) => Either.map(Ref.ref.parse(ref), (glob) => ({ ref: [glob] })))
        )
      },
      storage: {
        use: yield* scopeSet(
          nothing.storage.use,
          storage === undefined
            ? []
            : [Either.map(Name.storageScope.parse(storage.scope), (glob) => ({ scope: [glob] }))]
        )
      },
      attachments: { read: yield* kinds(attachments?.kinds ?? [], deferred) },
      records: forVerbs(
        records?.verbs ?? [],
        classes === undefined ? left.records.read : yield* scopeSet(nothing.records.read, classes)
      ),
      agents: forVerbs(
        agents?.verbs ?? [],
        ids === undefined ? left.agents.grant : yield* scopeSet(nothing.agents.grant, ids)
      )
    })
  })

/**
 * All that a declaration asks for. What it leaves to the policy (`"*"`, `"from-personality"`) is everything here,
 * so that its meet with a policy is what the policy allows.
 *
 * @since 0.1.0
 * @category compiling
 */
export const authority = (
  declared: Capabilities,
  places: Places = {}
): Either.Either<Authority.Authority, ScopeInvalid> => compile(declared, places, "everything")

/**
 * What a declaration asks for by name: what a policy must cover for the tool to work as written. What is left to
 * the policy is not in it.
 *
 * @since 0.1.0
 * @category compiling
 */
export const named = (
  declared: Capabilities,
  places: Places = {}
): Either.Either<Authority.Authority, ScopeInvalid> => compile(declared, places, "nothing")

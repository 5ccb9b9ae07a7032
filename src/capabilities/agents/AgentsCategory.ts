/** The category `agents`, as the table of categories has it. */
import { Either } from "effect"
import { agentId } from "../../policy/lattice/dimensions/Id.js"
import { backendOf, type Description } from "../Category.js"
import { RecordsBackend } from "../records/RecordsBackend.js"
import { everything, forVerbs, listedVerbs, nothing, scopesOf } from "../scopes.js"
import type { IfUnused, List, Undeclared } from "../sentences.js"
import { Agents, AgentsDeclaration } from "./Agents.js"
import { AgentsError } from "./AgentsOperations.js"
import { scoped } from "./ScopedAgents.js"

type Declared = typeof AgentsDeclaration.Type

/** The sentence about a requirement that is not covered. */
export type Complaint<X> =
  X extends Agents.Verb<infer V>
    ? Undeclared<`agents.verbs needs '${V}'`>
    : X extends Agents
      ? Undeclared<"agents">
      : never

/** A sentence for each verb that is declared and never used. */
export type Unused<R, D> = Agents extends R ? never : UnusedVerb<R, List<D, "verbs">>

type UnusedVerb<R, V extends string> = V extends unknown
  ? IfUnused<R, Agents.Verb<V>, `agents.verbs '${V}'`>
  : never

/** Agents are records, and kept with them. */
export const category = {
  declaration: AgentsDeclaration,
  error: AgentsError,
  tags: [Agents],
  backends: [RecordsBackend],
  facet: "agents",
  aliases: ["agent"],
  surface: ({ ids, verbs }) => [{ label: "agents", items: verbs, of: ids }],
  listed: ({ ids, verbs }) => listedVerbs("agents.verbs", verbs, "ids", ids),
  authority: ({ ids, verbs }, { deferred }) =>
    Either.map(
      // Without ids, which of them is left to the policy.
      ids === undefined
        ? Either.right(deferred === "everything" ? everything.agents.grant : nothing.agents.grant)
        : scopesOf(nothing.agents.grant, "id", agentId.parse, ids),
      (scope) => ({ agents: forVerbs(verbs, scope) })
    ),
  services: (_, making) => [
    [Agents.key, Agents.make(scoped(making.holder, backendOf(making, RecordsBackend)))]
  ]
} as const satisfies Description<Declared>

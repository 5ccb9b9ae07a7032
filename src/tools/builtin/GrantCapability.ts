/**
 * @since 0.1.0
 */
import { Effect, Either, Schema } from "effect"
import { Agents } from "../../capabilities/agents/Agents.js"
import * as Grant from "../../policy/grant/Grant.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { described } from "./fields.js"

/** What is no grant is an error of the call, before anything is asked. */
const Spec = Schema.String.pipe(
  Schema.filter((spec) =>
    Either.match(Grant.parse(spec), { onLeft: ({ message }) => message, onRight: () => true })
  )
)

/**
 * @since 0.1.0
 * @category tools
 */
export const grantCapability = Tool.make({
  name: "grant_capability",
  description:
    "Passes on what this agent holds to another agent, or a part of it; never more, and never to itself. The other " +
    "agent has it from its next turn on.",
  parameters: Schema.Struct({
    agent: described(Schema.String, "The id of the agent that gets it, such as agents/scout"),
    grants: described(
      Schema.Array(Spec).annotations({ examples: [["records.read"]] }),
      "The grants, such as records.read or net.get{hosts=[api.example.com]}"
    )
  }),
  success: Schema.Struct({
    agent: Schema.String,
    grants: Schema.Array(Schema.String).annotations({ description: "All that the agent holds by now" }),
    lost: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }).annotations({
      description: "Lines of the agent's record that gave nothing and are gone by this"
    })
  }),
  category: "agents",
  needs: ["agents.grant"],
  capabilities: { agents: { verbs: ["grant"] } },
  asks: ({ agent, grants }) => [Ask.grant(agent, grants)],
  execute: (given) =>
    Effect.map(Agents.grant(given), ({ grants, id, lost }) => ({
      agent: id,
      grants,
      ...(lost === undefined ? {} : { lost })
    }))
})

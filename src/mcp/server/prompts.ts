/** Skills as prompts: those that are not broken, and that require only what the policy of the turn holds. */
import { Effect } from "effect"
import * as Skill from "../../policy/skill/Skill.js"
import { own } from "../protocol/ReadMessage.js"
import type { Serving } from "./Options.js"
import { type Page, pageOf } from "./pages.js"
import { type Problem, problem, said } from "./problem.js"
import type { Asked } from "./resources.js"

const availableIn = <R>({ skills, turn }: Serving<R>): ReadonlyArray<Skill.Skill> => {
  if (skills === undefined) return []
  const { agent, loaded, options } = skills
  const holder: Skill.Holder = {
    // What the turn holds, whoever wrote it: a personality may give an agent less than its record says.
    authority: turn.policy.authority,
    held: agent?.held ?? [],
    root: agent === undefined ? turn.workdir : agent.root
  }
  return Skill.available(loaded, holder, { home: turn.home, ...options })
}

export interface Prompt {
  readonly name: string
  readonly description: string
}

export const listPrompts = <R>({
  pageSize,
  params,
  serving
}: Asked<R>): Effect.Effect<Page<Prompt>, Problem> =>
  pageOf(
    availableIn(serving).map(({ description, name }) => ({ name, description })),
    ({ name }) => name,
    params,
    pageSize
  )

export const getPrompt = <R>({ params, serving }: Asked<R>): Effect.Effect<object, Problem> => {
  const name = own(params, "name")
  if (typeof name !== "string") return Effect.fail(problem("invalidParams", "params.name must be a text"))
  const skill = availableIn(serving).find((one) => one.name === name)
  return skill === undefined
    ? Effect.fail(problem("invalidParams", `there is no prompt ${said(name)}; prompts/list lists them`))
    : Effect.succeed({
        description: skill.description,
        messages: [{ role: "user", content: { type: "text", text: skill.body } }]
      })
}

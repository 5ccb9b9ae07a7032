/** Personalities from text, and what is asked of them. */
import { Either } from "effect"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import * as Personality from "../../src/policy/personality/Personality.js"

export const places: Personality.Places = { home: "/home/u", workdir: "/w", workspace: "/ws" }

export const parse = (text: string, toolset?: string, where: Personality.Places = places) =>
  Personality.parse(
    {
      config: { file: "config.yaml", text },
      ...(toolset === undefined ? {} : { toolset: { file: "toolset.yaml", text: toolset } })
    },
    where
  )

export const read = (text: string, toolset?: string, where?: Personality.Places): Personality.Personality =>
  Either.getOrThrowWith(parse(text, toolset, where), (error) => new Error(error.message))

export const refused = (text: string, toolset?: string, where?: Personality.Places) =>
  Either.match(parse(text, toolset, where), {
    onLeft: ({ code, line, message }) => ({ code, line, message }),
    onRight: () => ({ code: "none", line: 0, message: "it was read" })
  })

export const allows = (personality: Personality.Personality, line: string): boolean =>
  Authority.permits(
    personality.authority,
    Either.getOrThrowWith(Request.parse(line), (error) => new Error(error.message))
  ).allowed

/**
 * What could be taken from a personality.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Policy } from "../../policy/Policy.js"
import * as PersonalityEdit from "../../policy/personality/edit/PersonalityEdit.js"
import * as Personality from "../../policy/personality/Personality.js"
import type { Source } from "../../policy/Source.js"
import { basisOf, type Options } from "./Basis.js"
import type { Evidence } from "./Evidence.js"
import * as Suggestion from "./Suggestion.js"

const writtenOf = (key: string, text: string): string => `${key}: ${text}`

/** The directory of a turn, in which a path of a personality may begin. */
const CWD = `\${CWD}`

const verbs = [
  ["fs_reach.read", ["read"]],
  ["fs_reach.write", ["write", "delete"]]
] as const

/** What the scrubber leaves, and a cut: a scope that nobody can read says nothing. */
const UNREADABLE = /\[redacted\]|…$/

/**
 * The lists that begin at the working directory of a turn, where turns were in another one than this: then the log has what
 * was used of them under another name, and nothing of them is known to be unused.
 */
const listsElsewhere = ({ authority, sources }: Policy, { scopes }: Evidence) =>
  verbs.filter(
    ([key, all]) =>
      sources.some(({ written }) => written.startsWith(writtenOf(key, CWD))) &&
      all.some((verb) => {
        const now = new Set(Authority.shown(authority, `files.${verb}`))
        const then = scopes.get(`files.${verb}`) ?? []
        return [...then].some((scope) => !now.has(scope) && !UNREADABLE.test(scope))
      })
  )

const found = (sources: ReadonlyArray<Source>, written: string): Suggestion.Written =>
  sources.find((source) => source.written === written) ?? { written, authority: Authority.nothing }

/**
 * The least entries of a personality with which every decision that the log has, and that it would take again, would be
 * taken; or why that cannot be written. `policy` is the one of the personality as it is.
 *
 * @since 0.1.0
 * @category examining
 */
export const suggestFor = (
  sources: Personality.Sources,
  places: Personality.Places,
  policy: Policy,
  evidence: Evidence,
  options: Options
): Either.Either<Suggestion.Suggestion, string> => {
  const basis = basisOf(policy, evidence, options, places.workdir)
  const elsewhere = listsElsewhere(policy, evidence)
  const { files } = policy.authority.scopes
  const kept = elsewhere.flatMap(([, all]) =>
    all.map((verb) => Authority.make({ files: { [verb]: files[verb] } }))
  )
  const needed = Authority.joinAll([basis.authority, ...kept])
  return Either.map(PersonalityEdit.trim(sources, needed, places), (edit) => {
    const after = Personality.policy(edit.personality).sources
    const changes = edit.entries.map(
      ({ key, line, stays, text }): Suggestion.Change => ({
        ...found(policy.sources, writtenOf(key, text)),
        file: sources.config.file,
        line,
        isKept: stays.length === 1 && stays[0] === text,
        to: stays.map((one) => found(after, writtenOf(key, one)))
      })
    )
    const texts = { before: sources.config.text, after: edit.text }
    return { ...Suggestion.make(changes, basis, evidence, texts), elsewhere: elsewhere.map(([key]) => key) }
  })
}

/**
 * Variables that make a command run or read something other than what was permitted. A tool sets none of them; the
 * loaders among them are not even taken over from the operator.
 */
import { type Family, loaders, passed, steering } from "./variableNames.js"

export const isPassed = (name: string): boolean => passed.has(name) || name.startsWith("LC_")

const has = ({ harmless, names, prefixes }: Family, upper: string): boolean =>
  names.has(upper) || (!harmless.has(upper) && prefixes.some((prefix) => upper.startsWith(prefix)))

/** Of git's many only those that say who writes, and when. */
const harmlessGit = /^GIT_(?:AUTHOR_|COMMITTER_|TERMINAL_PROMPT$|OPTIONAL_LOCKS$)/

const isGit = (upper: string): boolean => upper.startsWith("GIT_") && !harmlessGit.test(upper)

/** Not even taken over from the operator. */
export const isLoader = (name: string): boolean => {
  const upper = name.toUpperCase()
  return isGit(upper) || has(loaders, upper)
}

/** Not accepted from a tool. */
export const isRefused = (name: string): boolean => isLoader(name) || has(steering, name.toUpperCase())

/** What may stand where the cursor is. Only names that a workspace holds need more than this. */
import { catalog } from "../../policy/grant/Catalog.js"
import * as Inquiry from "../../policy/server/Inquiry.js"
import {
  below,
  type CommandName,
  commandNames,
  common,
  flags,
  formOf,
  groups,
  isCommand,
  type Kind,
  options,
  repeatable,
  shells,
  valueMayFollow
} from "../Forms.js"
import { builtinTools } from "./builtinTools.js"

export interface Candidate {
  readonly word: string
  readonly about: string
}

/** Names that are looked up in a workspace. */
export type Looked = "agents" | "personalities" | "servers" | "skills"

export type Answer =
  | { readonly kind: "words"; readonly words: ReadonlyArray<Candidate> }
  | { readonly kind: "files" | "directories" }
  | {
      readonly kind: Looked
      /** What is typed of the name so far, and what stands before it in the same word. */
      readonly typed: string
      readonly before: string
      readonly workdir: string | undefined
    }

/** What stands in front of the word at the cursor, read as far as it can be. */
interface Read {
  readonly words: ReadonlyArray<string>
  readonly given: ReadonlyMap<string, string>
  /** The option that waits for its value. */
  readonly open: keyof typeof options | undefined
  readonly onlyWords: boolean
}

const isOption = (name: string): name is keyof typeof options => Object.keys(options).includes(name)

const read = (before: ReadonlyArray<string>): Read => {
  const words: Array<string> = []
  const given = new Map<string, string>()
  let open: Read["open"]
  let onlyWords = false
  for (const word of before) {
    if (open !== undefined) {
      given.set(open, word)
      open = undefined
    } else if (onlyWords || !word.startsWith("-") || word === "-") {
      words.push(word)
    } else if (word === "--") {
      onlyWords = true
    } else {
      const equals = word.indexOf("=")
      const name = word.slice(2, equals < 0 ? undefined : equals)
      if (equals < 0 && isOption(name) && !valueMayFollow.has(name)) open = name
      else given.set(name, equals < 0 ? "" : word.slice(equals + 1))
    }
  }
  return { words, given, open, onlyWords }
}

/** What an equals sign belongs to: an option, or a parameter of the tool that is called. */
const takesEquals = (words: ReadonlyArray<string>, last: string): boolean =>
  /^--[a-z-]+$/.test(last) || (words[0] === "call" && words.length > 2 && /^[\w-]+$/.test(last))

/** bash cuts words at equals signs: `--agent`, `=` and `scout` are one. */
const joined = (
  all: ReadonlyArray<string>
): { readonly words: ReadonlyArray<string>; readonly cut: boolean } => {
  const words: Array<string> = []
  let cut = false
  for (const [at, word] of all.entries()) {
    const last = words.at(-1)
    const value = all[at - 1] === "=" && last?.endsWith("=") === true && takesEquals(words, last.slice(0, -1))
    cut = false
    if (last !== undefined && word === "=" && takesEquals(words, last)) {
      words[words.length - 1] = `${last}=`
      cut = at === all.length - 1
    } else if (last !== undefined && value) {
      words[words.length - 1] = `${last}${word}`
      cut = at === all.length - 1
    } else {
      words.push(word)
    }
  }
  return { words, cut }
}

const starting = (all: ReadonlyArray<Candidate>, typed: string): Answer => ({
  kind: "words",
  words: all.filter(({ word }) => word.startsWith(typed))
})

const none: Answer = { kind: "words", words: [] }

/** What a built-in tool takes and has not yet been given. */
const parametersLeft = (words: ReadonlyArray<string>, typed: string): Answer => {
  if (typed.includes("=")) return none
  const given = words.slice(2).map((word) => word.split("=")[0])
  const left = (builtinTools.get(words[1] ?? "") ?? []).filter((name) => !given.includes(name))
  return starting(
    left.map((name) => ({ word: `${name}=`, about: "" })),
    typed
  )
}

/** What may be granted, and all of its kind at once. */
const capabilityNames: ReadonlyArray<string> = [
  ...new Set(catalog.flatMap(({ capability }) => [capability.split(".")[0] ?? "", capability]))
]

const ofKind = (kind: Kind, typed: string, before: string, { given, words }: Read): Answer => {
  switch (kind) {
    case "agents":
    case "personalities":
    case "servers":
    case "skills":
      return { kind, typed, before, workdir: given.get("workdir") }
    case "files":
    case "directories":
      return { kind }
    case "grants":
      return starting(
        catalog.map(({ effect, name, risk }) => ({ word: name, about: `${risk}: ${effect}` })),
        typed
      )
    case "capabilities":
      return starting(
        capabilityNames.map((word) => ({ word, about: "" })),
        typed
      )
    case "inquiries":
      return starting(
        Inquiry.kinds.map((word) => ({ word, about: `${Inquiry.risk(word)}: it ${Inquiry.describe(word)}` })),
        typed
      )
    case "shells":
      return starting(
        shells.map((word) => ({ word, about: "" })),
        typed
      )
    case "tools":
      return starting(
        [...builtinTools.keys()].map((word) => ({ word, about: "" })),
        typed
      )
    case "parameters":
      return parametersLeft(words, typed)
    case "new":
    case "text":
      return none
  }
}

const firstWords: ReadonlyArray<Candidate> = [
  ...commandNames
    .filter(isCommand)
    .flatMap((word) => (word.includes(" ") ? [] : [{ word, about: formOf(word).about }])),
  ...[...groups].flatMap(([word, about]) => (word.includes(" ") ? [] : [{ word, about }])),
  { word: "help", about: "what a command does" }
]

const aboutOf = (command: string): string =>
  isCommand(command) ? formOf(command).about : (groups.get(command) ?? "")

const wordsBelow = (group: string): ReadonlyArray<Candidate> =>
  below(group).map((word) => ({ word, about: aboutOf(`${group} ${word}`) }))

const optionsOf = (command: CommandName | undefined, given: Read["given"]): ReadonlyArray<Candidate> => {
  const form = command === undefined ? undefined : formOf(command)
  const named = [...(form?.options ?? []), ...common.options].map((name) => ({
    name,
    about: options[name].about
  }))
  const flagged = [...(form?.flags ?? []), ...common.flags, "help" as const].map((name) => ({
    name,
    about: flags[name].about
  }))
  const alone = command === undefined ? [{ name: "version", about: flags.version.about }] : []
  return [...named, ...flagged, ...alone]
    .filter(({ name }) => !given.has(name) || repeatable.has(name))
    .map(({ about, name }) => ({ word: `--${name}`, about }))
}

/** The command that the words name, and how many of them. */
const commandIn = (words: ReadonlyArray<string>): readonly [CommandName, number] | undefined => {
  for (const length of [3, 2, 1]) {
    const command = words.slice(0, length).join(" ")
    if (words.length >= length && isCommand(command)) return [command, length]
  }
  return undefined
}

const valueOf = (typed: string, cut: boolean, read: Read): Answer | undefined => {
  const [, name, value = ""] = /^--([a-z-]+)=(.*)$/s.exec(typed) ?? []
  if (name === undefined) return undefined
  return isOption(name) ? ofKind(options[name].kind, value, cut ? "" : `--${name}=`, read) : none
}

/** `typed` are the words after the name of the program, up to the cursor: the last one is not yet whole. */
export const complete = (typed: ReadonlyArray<string>): Answer => {
  const { cut, words: all } = joined(typed[0] === "--" ? typed.slice(1) : typed)
  // A shell gives a word with the quote that it was begun with.
  const current = (all.at(-1) ?? "").replace(/^['"]/, "")
  const before = read(all.slice(0, -1))
  const { given, onlyWords, open, words } = before
  if (open !== undefined) return ofKind(options[open].kind, current, "", before)
  const named = words[0] === "help" ? undefined : commandIn(words)
  if (!onlyWords && current.startsWith("-") && current !== "-") {
    return valueOf(current, cut, before) ?? starting(optionsOf(named?.[0], given), current)
  }
  const topic = words[0] === "help" ? words.slice(1) : words
  if (topic.length === 0) return starting(firstWords, current)
  if (named !== undefined) {
    // 'audit' takes files, and 'audit verify' is another command.
    const longer = current === "" ? none : starting(wordsBelow(words.join(" ")), current)
    if (longer.kind === "words" && longer.words.length > 0) return longer
    const expected = formOf(named[0]).words
    const last = expected.at(-1)
    const word = expected[words.length - named[1]] ?? (last?.many ? last : undefined)
    return word === undefined ? none : ofKind(word.kind, current, "", before)
  }
  const group = topic.join(" ")
  return groups.has(group) ? starting(wordsBelow(group), current) : none
}

/** The answer for a shell: what kind it is of, and a candidate a line. Nothing where a workspace has to be looked at. */
export const answerText = (answer: Answer): string | undefined => {
  switch (answer.kind) {
    case "words":
      return printed(answer.words)
    case "files":
    case "directories":
      return `${answer.kind}\n`
    default:
      return undefined
  }
}

export const printed = (words: ReadonlyArray<Candidate>): string =>
  ["words", ...words.map(({ about, word }) => `${word}\t${about}`)].map((line) => `${line}\n`).join("")

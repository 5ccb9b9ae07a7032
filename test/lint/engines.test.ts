/** Every engine finds the same, case by case: what a corpus says, in these words, and nothing else. */
import { beforeAll, describe, expect, it } from "vitest"
import { type Remedy, remedies } from "../../src/lint/tables/Remedy.js"
import { type Case, corpus } from "./corpus.js"
import { type Engine, engines, lintWith, type Message, prepare } from "./engines.js"
import * as project from "./project.js"
import { scratchFolder } from "./scratch.js"

const messageOf = (found: string): string => {
  const space = found.lastIndexOf(" ")
  const remedy = remedies[found.slice(space + 1) as Remedy]
  return `'${found.slice(0, space)}' goes around what the tool declares. ${remedy}.`
}

const fileOf = (group: string, index: number) => `tools/${group}/case${index}.ts`

/** One folder for all of them. */
const prepared = async (): Promise<string> => {
  const folder = scratchFolder("corpus")
  const files = Object.entries(corpus).flatMap(([group, cases]) =>
    cases.map(({ code }, index) => [fileOf(group, index), code] as const)
  )
  await prepare(folder, { ...Object.fromEntries(files), ...project.files })
  return folder
}
let started: Promise<ReadonlyMap<Engine, ReadonlyArray<Message>>> | undefined

const linted = async () => {
  const folder = await prepared()
  return new Map(
    await Promise.all(engines.map(async (engine) => [engine, await lintWith(engine, folder)] as const))
  )
}

describe.each(engines)("%s", (engine: Engine) => {
  const found = new Map<string, Array<Message>>()

  beforeAll(async () => {
    started ??= linted()
    for (const message of (await started).get(engine) ?? []) {
      found.set(message.file, [...(found.get(message.file) ?? []), message])
    }
  })

  it.each(Object.keys(corpus))("finds what it should, and only that: %s", (group) => {
    const cases = corpus[group] ?? []
    const actual = cases.map(({ code }: Case, index) => ({
      code,
      found: (found.get(fileOf(group, index)) ?? []).map(({ text }) => text)
    }))
    expect(actual).toEqual(cases.map(({ code, found }) => ({ code, found: found.map(messageOf) })))
  })

  it.each(Object.keys(project.files))("knows what is a tool file, and what it reaches: %s", (file) => {
    const expected = project.expected[file] ?? []
    // What cannot be parsed is reported for itself, in the words of the engine.
    const actual = file === "src/lib/broken.ts" ? [] : (found.get(file) ?? [])
    const told = actual.map(({ line, text }, index) => `${line}: ${text}`.slice(0, expected[index]?.length))
    expect(told).toEqual(expected)
  })
})

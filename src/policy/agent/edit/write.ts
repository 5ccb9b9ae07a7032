/** From what a record shall hold to its text, which is given out only if it reads back as exactly that. */
import { Either } from "effect"
import type * as Grant from "../../grant/Grant.js"
import type * as Authority from "../../lattice/Authority.js"
import { type Data, fromEntries, same } from "../../record/Data.js"
import { merge, read } from "../../record/RecordText.js"
import { splitSpecs } from "../../text/Spec.js"
import { isAuthorityKey } from "../AgentFile.js"
import * as AgentRecord from "../AgentRecord.js"
import type { Fate } from "./lines.js"
import { type Edit, equal, type Opened, refuse } from "./open.js"
import { type Plan, planned } from "./text.js"

const others = (data: Data): Data => fromEntries(Object.entries(data).filter(([key]) => !isAuthorityKey(key)))

const dataOf = ({ name, scope }: Grant.Grant): unknown =>
  Object.keys(scope).length === 0 ? name : { [name]: scope }

/** Where a part cannot be changed, the keys are written anew. */
const anew = ({ source, text }: Opened, { added, fates, removed }: Plan): string | undefined => {
  const before = text.frontMatter.capabilities
  const items = typeof before === "string" ? splitSpecs(before) : Array.isArray(before) ? before : []
  const stay = items.flatMap((item, i) => {
    const fate: Fate = fates[i] ?? "keep"
    return fate === "keep" ? [item] : fate.map(dataOf)
  })
  const gone = [...removed].map((key) => [key, null] as const)
  return Either.getOrUndefined(
    merge(source.text, Object.fromEntries([["capabilities", [...stay, ...added.map(dataOf)]], ...gone]))
  )
}

const textOf = (opened: Opened, plan: Plan): string | undefined => {
  const { parts, source } = opened
  const eol = /^[^\n]*\r\n/.test(source.text) ? "\r\n" : "\n"
  const yaml = planned(parts.yaml, plan, eol)
  return yaml === undefined
    ? anew(opened, plan)
    : source.text.slice(0, parts.start) + yaml + source.text.slice(parts.end)
}

/** `expected` is what the record must give afterwards, no more and no less. */
export const write = (
  opened: Opened,
  plan: Plan,
  expected: Authority.Authority
): Edit<{ readonly text: string; readonly record: AgentRecord.AgentRecord }> => {
  const { places, source, text: before } = opened
  const text = textOf(opened, plan)
  const after = text === undefined ? undefined : Either.getOrUndefined(read(text))
  if (text !== undefined && after !== undefined) {
    const record = AgentRecord.parse({ ...source, text }, places)
    if (
      after.body === before.body &&
      same(others(after.frontMatter), others(before.frontMatter)) &&
      [...plan.removed].every((key) => !Object.hasOwn(after.frontMatter, key)) &&
      equal(record.authority, expected)
    ) {
      return Either.right({ text, record })
    }
  }
  return refuse(
    "EDIT_IMPOSSIBLE",
    `the front matter of ${source.file} cannot be changed so that it says exactly that`,
    "edit the file by hand, without anchors and odd spellings"
  )
}

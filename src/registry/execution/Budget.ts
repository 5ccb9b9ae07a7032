/**
 * A budget of characters, shared fairly among results: what a small result does not need is given to the large ones.
 * What is cut keeps its structure, and says that it was cut.
 */
import type * as Tool from "../../tools/Tool.js"
import type { Call, Result } from "../Call.js"
import type * as ToolResult from "../ToolResult.js"
import type { Turn } from "../Turn.js"

/** Nobody gets less than this: a share of nothing would be an answer of nothing. */
const FLOOR = 20

/** What is in a structure, as it is written: what it is made of may be endless, as a `Chunk` that leads to itself is. */
const written = (value: object): unknown => {
  if (value instanceof Map || value instanceof Set) return [...value]
  const writes: unknown = Reflect.get(value, "toJSON")
  return typeof writes === "function" ? Reflect.apply(writes, value, [""]) : value
}

/** About how long a value is as JSON, up to a limit, past which it is not looked at. */
const sizeOf = (given: unknown, limit: number): number => {
  if (typeof given === "string") return given.length
  if (typeof given !== "object" || given === null) return 4
  if (given instanceof Uint8Array) return given.length * 2
  let size = 2
  const value = Array.isArray(given) ? given : written(given)
  if (typeof value !== "object" || value === null) return sizeOf(value, limit)
  if (Array.isArray(value)) {
    for (const item of value) {
      if (size > limit) return size
      size += sizeOf(item, limit - size) + 1
    }
    return size
  }
  for (const key in value) {
    if (size > limit) return size
    size += key.length + 4 + sizeOf((value as Record<string, unknown>)[key], limit - size)
  }
  return size
}

/** How much each may have: the smallest are served first, and leave the rest to the others. */
const shares = (wanted: ReadonlyArray<number>, budget: number): ReadonlyArray<number> => {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))
  const given = new Array<number>(wanted.length).fill(0)
  let left = budget
  order.forEach((index, position) => {
    const share = Math.max(FLOOR, Math.floor(left / (order.length - position)))
    const taken = Math.min(wanted[index] ?? 0, share)
    given[index] = taken
    left = Math.max(0, left - taken)
  })
  return given
}

/** Never inside a pair of surrogates. */
const head = (text: string, length: number): string => {
  const end = length > 0 && /[\uD800-\uDBFF]/.test(text[length - 1] ?? "") ? length - 1 : length
  return text.slice(0, end)
}

const cutText = (text: string, length: number): string =>
  text.length <= length ? text : `${head(text, length)}… [cut: ${text.length - length} more characters]`

const cutArray = (items: ReadonlyArray<unknown>, length: number): ReadonlyArray<unknown> => {
  const given = shares(
    items.map((item) => sizeOf(item, length)),
    Math.max(0, length - items.length)
  )
  const kept: Array<unknown> = []
  let left = length
  for (const [index, item] of items.entries()) {
    if (left <= 0 && kept.length > 0) break
    kept.push(cut(item, given[index] ?? FLOOR))
    left -= sizeOf(kept.at(-1), length) + 1
  }
  return kept
}

/** A value of about the given length. Numbers, flags and keys stay; texts and lists are cut. */
const cut = (value: unknown, length: number): unknown => {
  if (typeof value === "string") return cutText(value, length)
  if (typeof value !== "object" || value === null || sizeOf(value, length) <= length) return value
  if (value instanceof Uint8Array) return value.subarray(0, Math.floor(length / 2))
  if (Array.isArray(value)) return cutArray(value, length)
  const inside = written(value)
  if (inside !== value) return cut(inside, length)
  const entries = Object.entries(value)
  const keys = entries.reduce((sum, [key]) => sum + key.length + 4, 2)
  const given = shares(
    entries.map(([, item]) => sizeOf(item, length)),
    Math.max(0, length - keys)
  )
  return Object.fromEntries(entries.map(([key, item], index) => [key, cut(item, given[index] ?? FLOOR)]))
}

const fitted = (result: ToolResult.ToolResult, share: number): ToolResult.ToolResult =>
  result.ok && sizeOf(result.value, share) > share
    ? { ok: true, value: cut(result.value, share), truncated: true }
    : result

/** The results of a batch within its budget. Only what was executed takes a share: a refusal is never cut. */
export const withinBudget = (
  calls: ReadonlyArray<Call>,
  results: ReadonlyArray<ToolResult.ToolResult>,
  {
    budget,
    policy: { revision }
  }: Pick<Turn, "budget"> & { readonly policy: Pick<Turn["policy"], "revision"> },
  tools: ReadonlyMap<string, Tool.Any>
): ReadonlyArray<Result> => {
  const limitOf = (index: number): number => tools.get(calls[index]?.name ?? "")?.resultLimit ?? budget
  const done = new Array<Result>(calls.length)
  let total = 0
  for (let index = 0; index < calls.length; index++) {
    const { id, name } = calls[index] as Call
    const result = results[index] as ToolResult.ToolResult
    const limit = result.ok ? limitOf(index) : 0
    const size = result.ok ? sizeOf(result.value, limit) : 0
    total += size > limit ? budget + 1 : size
    done[index] = { id, name, result, revision }
  }
  if (total <= budget) return done
  const wanted = results.map((result, index) =>
    result.ok ? Math.min(sizeOf(result.value, limitOf(index)), limitOf(index)) : 0
  )
  const given = shares(wanted, budget)
  return done.map((one, index) => ({ ...one, result: fitted(one.result, given[index] ?? FLOOR) }))
}

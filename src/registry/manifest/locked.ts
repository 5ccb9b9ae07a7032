/** A tool as the lock has it. */
import type { Capabilities } from "../../capabilities/Capabilities.js"
import type { Origin } from "../../policy/ToolOrigin.js"
import { ordered } from "../../policy/text/OrderedJson.js"
import { sha256 } from "../../policy/text/Sha256.js"
import { saysIdempotent } from "../../tools/Isolation.js"
import * as Tool from "../../tools/Tool.js"
import type { Locked, Pinned } from "./Model.js"

export const DIGEST = /^sha256:[0-9a-f]{64}$/

export const digest = (value: unknown): string => `sha256:${sha256(JSON.stringify(ordered(value)))}`

export const sortedSet = (all: Iterable<string>): ReadonlyArray<string> => [...new Set(all)].sort()

/** Lists of a declaration are sets: each is sorted, and has each thing once. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    return sortedSet(value.map((item) => JSON.stringify(sorted(item)))).map((text) => JSON.parse(text))
  }
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sorted(item)]))
}

export const spelled = (declared: Capabilities): Capabilities => ordered(sorted(declared)) as Capabilities

const keyOf = (service: unknown): ReadonlyArray<string> => (typeof service === "string" ? [service] : [])

const servicesOf = (tool: Tool.Any): ReadonlyArray<string> => {
  const listed: unknown = Reflect.get(tool, "services")
  return Array.isArray(listed) ? sortedSet(listed.flatMap(keyOf)) : []
}

const placeOf = ({ module, plugin, server }: Origin): Origin => {
  if (plugin !== undefined) return { plugin }
  if (module !== undefined) return { module }
  return server === undefined ? {} : { server }
}

export const lockedOf = (tool: Tool.Any, origin: Origin = {}): Locked => ({
  capabilities: spelled(tool.capabilities),
  services: servicesOf(tool),
  description: digest(tool.description),
  parameters: digest(Tool.jsonSchema(tool)),
  ...(saysIdempotent(tool) ? { idempotent: true } : {}),
  from: placeOf(origin)
})

/** A tool of a server as the lock has it. It declares nothing: what its server requires is written once, for all of them. */
export const lockedWords = (server: string, says: Pinned): Locked => ({
  capabilities: {},
  services: [],
  description: digest(says.description),
  parameters: digest(says.parameters),
  from: { server },
  says
})

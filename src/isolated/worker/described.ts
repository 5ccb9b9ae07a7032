/** What a worker says of its tools. The host believes none of it. */
import { Duration, JSONSchema, type Schema } from "effect"
import * as Tool from "../../tools/Tool.js"

export interface Held {
  readonly tool: Tool.Any
  /** The export that it is, or is listed in. */
  readonly exported: string
  readonly at?: number
}

const isForeign = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Reflect.get(value, Tool.TypeId) === Tool.TypeId

/** The tools that a module exports: as such, or in lists. */
export const toolsIn = (module: object): ReadonlyArray<Held> =>
  Object.entries(module).flatMap(([exported, value]): ReadonlyArray<Held> => {
    if (Tool.isTool(value)) return [{ tool: value, exported }]
    if (isForeign(value)) {
      throw new Error(`${exported} is a tool that another copy of bailiwick made; install one for both`)
    }
    if (!Array.isArray(value)) return []
    return value.flatMap((tool: unknown, at) => (Tool.isTool(tool) ? [{ tool, exported, at }] : []))
  })

const shapeOf = (schema: Schema.Schema.AnyNoContext | undefined): object | undefined => {
  if (schema === undefined) return undefined
  try {
    return JSONSchema.make(schema)
  } catch {
    // What JSON Schema cannot say is said by nobody.
    return undefined
  }
}

const given = (entries: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined))

export const describe = ({ at, exported, tool }: Held): object =>
  given({
    exported,
    at,
    name: tool.name,
    description: tool.description,
    parameters: Tool.jsonSchema(tool),
    success: shapeOf(tool.success),
    failure: shapeOf(tool.failure),
    capabilities: tool.capabilities,
    services: tool.services,
    deadlineMillis: tool.deadline === undefined ? undefined : Duration.toMillis(tool.deadline),
    resultLimit: tool.resultLimit,
    readOnly: tool.readOnly,
    idempotent: tool.idempotent || undefined,
    category: tool.category,
    outputIsUntrusted: tool.outputIsUntrusted,
    cache: tool.cache,
    needs: tool.needs,
    asks: tool.asks !== undefined,
    isAvailable: tool.isAvailable !== undefined
  })

/**
 * What scripts export, as Node finds it in their text, without running them. Node tells it only to a module that imports one:
 * here that is one whose first import throws the names, and ends everything before the script is run.
 */
import { register } from "node:module"

const HOOKS = `const [ALL, THROW] = ["names:all:", "names:throw:"]
export const resolve = (name, context, next) => name.startsWith("names:") ? { url: name, shortCircuit: true } : next(name, context)
const module = (source) => ({ format: "module", source, shortCircuit: true })
export const load = (url, context, next) => {
  const quoted = (start) => JSON.stringify(start + url.slice(url.indexOf(":", 6) + 1))
  if (url.startsWith(ALL)) return module("import " + quoted(THROW) + "; import * as all from " + quoted("") + "; export function names() { return Reflect.ownKeys(all) }")
  if (url.startsWith(THROW)) return module("import { names } from " + quoted(ALL) + "; throw names()")
  return next(url, context)
}`

let isRegistered = false

export const namesOf = async (url: string): Promise<ReadonlyArray<string>> => {
  if (!isRegistered) register(`data:text/javascript,${encodeURIComponent(HOOKS)}`)
  isRegistered = true
  const names: unknown = await import(`names:all:${url}`).catch((thrown: unknown) => thrown)
  if (!Array.isArray(names)) throw names
  return names.filter((name) => typeof name === "string")
}

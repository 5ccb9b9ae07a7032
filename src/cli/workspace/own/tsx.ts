/** The `tsx` of a workspace, as far as it is needed to load TypeScript. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { packageFrom } from "./Installation.js"

/** The module that it offers for an `import`: the one for `require` would be a second instance. */
const importable = (target: unknown): string | undefined => {
  if (typeof target === "string") return target
  if (typeof target !== "object" || target === null) return undefined
  return importable(Reflect.get(target, "import") ?? Reflect.get(target, "default"))
}

export const tsxFrom = (root: string): string | undefined => {
  const directory = packageFrom("tsx", root)
  if (directory === undefined) return undefined
  try {
    const { exports } = Object(JSON.parse(readFileSync(join(directory, "package.json"), "utf8")))
    const found = importable(Object(exports)["./esm/api"])
    return found === undefined ? undefined : join(directory, found)
  } catch {
    return undefined
  }
}

/** Whether what an expression stands for goes around what a tool declares. What lies below such a thing does, too. */
import type { Reference } from "../syntax/Reference.js"
import type { Key } from "../syntax/Scope.js"
import { effectExports, exportOf } from "../tables/EffectModules.js"
import { globals } from "../tables/Globals.js"
import {
  commonJsMembers,
  importMetaMembers,
  type Members,
  moduleMembers,
  navigatorMembers,
  processMembers,
  requireMembers
} from "../tables/Members.js"
import { harmless, nodeName, touching } from "../tables/NodeModules.js"
import { packageRemedy } from "../tables/Packages.js"
import type { Remedy } from "../tables/Remedy.js"
import type { Verdict } from "./Finding.js"

type Keys = ReadonlyArray<Key>

const verdict = (what: string, remedy: Remedy | undefined): Verdict | undefined =>
  remedy === undefined ? undefined : { what, remedy }

const ofMember = (of: string, members: Members, keys: Keys): Verdict | undefined => {
  if (keys.length === 0) return undefined
  const [key] = keys
  if (key === undefined) return verdict(`${of}[…]`, members.otherwise && "globals")
  if (members.harmless.has(key)) return undefined
  return verdict(`${of}.${key}`, members.touching.get(key) ?? members.otherwise)
}

/** Looked at member by member, as `globalThis` itself is. */
const inPart = new Map([
  ["process", processMembers],
  ["navigator", navigatorMembers]
])

const ofGlobal = ([name, ...keys]: Keys, length: number): Verdict | undefined => {
  if (length === 0) return undefined
  if (name === undefined) return verdict("globalThis[…]", "globals")
  const members = inPart.get(name)
  return members === undefined ? verdict(name, globals.get(name)) : ofMember(name, members, keys)
}

/** Text, addresses and what only one other runtime has. `npm:` and `jsr:` are read as names of packages. */
const foreign = /^(?:data|blob|file|https?|bun|cloudflare|deno|electron|workerd):|^(?:bun|electron)$|\.node$/

const withoutRegistry = (specifier: string): string =>
  specifier.replace(/^(?:npm|jsr):\/?/, "").replace(/^((?:@[^/@]+\/)?[^/@]+)@[^/]*/, "$1")

const ofModule = (specifier: string, keys: Keys): Verdict | undefined => {
  const inNode = nodeName(specifier)
  if (inNode === "module") return ofMember(specifier, moduleMembers, keys)
  if (inNode !== undefined) return verdict(specifier, touching.get(inNode) ?? unknownOfNode(inNode))
  if (foreign.test(specifier)) return verdict(specifier, "code")
  const name = withoutRegistry(specifier)
  const [from, exported] = exportOf(name) ?? [name, keys[0]]
  return (
    verdict(specifier, packageRemedy(name)) ??
    (exported === undefined
      ? undefined
      : verdict(`${from}/${exported}`, effectExports.get(from)?.get(exported)))
  )
}

const unknownOfNode = (name: string): Remedy | undefined => (harmless.has(name) ? undefined : "host")

export const verdictOf = (reference: Reference | undefined): Verdict | undefined => {
  if (reference === undefined) return undefined
  const { keys, root } = reference
  switch (root.kind) {
    case "global":
      return ofGlobal(keys, keys.length)
    case "require":
      return ofMember("require", requireMembers, keys)
    case "commonjs":
      return ofMember("module", commonJsMembers, keys)
    case "meta":
      return ofMember("import.meta", importMetaMembers, keys)
    case "module":
      return ofModule(root.name, keys)
  }
}

/** Modules that are fine in part: to pass on all of one is to pass on the rest of it. */
export const isInPart = (specifier: string): boolean =>
  effectExports.has(specifier) || /^(?:node:)?(?:process|module)$/.test(specifier)

/** What a grant allows, in words. */
import * as Catalog from "./Catalog.js"
import type { Scope, Written } from "./scope.js"

const list = (all: ReadonlyArray<string>): string => (all.length === 0 ? "none" : all.join(", "))

const hosts = ({ hosts = [] }: Scope): string =>
  hosts.includes("*") ? "any host" : hosts.length === 0 ? "no host" : list(hosts)

const files = ({ in: root, paths }: Scope): string => {
  const where = root === undefined ? "nowhere yet: it has no root" : `below ${root}`
  return paths === undefined ? where : `${list(paths)} ${where}`
}

const commands = ({ cmds, in: root, patterns }: Scope): string => {
  const where = root === undefined ? "nowhere yet: it has no root" : `below ${root}`
  if (cmds === undefined && patterns === undefined) return `of any kind ${where}`
  return `${list([...(cmds ?? []), ...(patterns ?? []).map((pattern) => `'${pattern}'`)])} ${where}`
}

const records = ({ classes, paths }: Scope): string =>
  [
    classes === undefined ? "of every class" : `of class ${list(classes)}`,
    ...(paths === undefined ? [] : [`at ${list(paths)}`])
  ].join(" ")

const agents = ({ id, ids, paths }: Scope): string =>
  id === undefined && ids === undefined && paths === undefined
    ? "with any id"
    : `with the id ${list([...(id === undefined ? [] : [id]), ...(ids ?? []), ...(paths ?? [])])}`

/** What is named one by one; `*` is every one of them. */
const named = (of: string, all: ReadonlyArray<string> = []): string =>
  all.includes("*") ? `of every ${of}` : all.length === 0 ? `of no ${of}` : `of ${of} ${list(all)}`

export const describe = ({ name, scope }: Pick<Written, "name" | "scope">): string => {
  const entry = Catalog.find(name)
  if (entry === undefined) return `nothing: ${name} is not a capability`
  const { capability, effect } = entry
  if (capability === "provider.use") return effect
  if (capability.startsWith("network.")) return `${effect} ${hosts(scope)}`
  if (capability.startsWith("files.")) return `${effect} ${files(scope)}`
  if (capability === "process.exec") return `${effect} ${commands(scope)}`
  if (capability === "process.eval") return `${effect} ${files(scope)}`
  if (capability === "secrets.read") {
    return `${scope.sealed === undefined ? effect : "send sealed secrets"} ${named("ref", scope.refs)}`
  }
  if (capability === "storage.use") return `${effect} ${named("scope", scope.scopes)}`
  if (capability === "attachments.read") return `${effect} ${named("kind", scope.kinds)}`
  return `${effect} ${capability.startsWith("records.") ? records(scope) : agents(scope)}`
}

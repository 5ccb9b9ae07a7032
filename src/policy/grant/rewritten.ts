/** A set of scopes written as grants of one capability. What comes out may give more, or nothing that can be read: who asks for it looks. */
import type { Encoded, Pattern } from "../lattice/ScopeSet.js"
import * as Catalog from "./Catalog.js"
import { type Atom, type Option, regrouped } from "./Parts.js"
import type { Root } from "./Roots.js"
import type { Written } from "./scope.js"

type Grant = Written

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((part) => part !== "")

const commonStart = (all: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const [first = [], ...rest] = all
  const end = first.findIndex((part, at) => rest.some((other) => other[at] !== part))
  return end < 0 ? first : first.slice(0, end)
}

/** Below a root as it is written: what a home or a link stands for stays in its words. */
const belowWritten = (root: Root, segments: ReadonlyArray<string>): string => {
  const own = segmentsOf(root.path)
  const isInside = own.every((part, at) => segments[at] === part)
  if (!isInside) return `/${segments.join("/")}`
  const rest = segments.slice(own.length)
  if (rest.length === 0) return root.written
  return `${root.written.replace(/\/+$/, "")}/${rest.join("/")}`
}

/** Where a link leads, by the name of the link: a root is held by both. */
const unlinked = (root: Root, segments: ReadonlyArray<string>): ReadonlyArray<string> => {
  const real = root.real.tokens.flatMap((token) => (token._tag === "Literal" ? [token.text] : []))
  const isBehind = root.real.key !== root.tree.key && real.every((part, at) => segments[at] === part)
  return isBehind ? [...segmentsOf(root.path), ...segments.slice(real.length)] : segments
}

interface Piece {
  readonly segments: ReadonlyArray<string>
  readonly isTree: boolean
}

/** What starts like a home is none here. */
const relative = (text: string): string => (text.startsWith("~") ? `./${text}` : text)

const pathIn = (folder: ReadonlyArray<string>, { isTree, segments }: Piece): string =>
  relative(`${segments.slice(folder.length).join("/")}${isTree ? "/" : ""}`)

const files = (grant: Grant, root: Root, texts: ReadonlyArray<string>): ReadonlyArray<Grant> => {
  const pieces = texts.map(
    (text): Piece => ({
      segments: unlinked(root, segmentsOf(text.endsWith("/.") ? text.slice(0, -1) : text)),
      isTree: text.endsWith("/")
    })
  )
  const [only, second] = pieces
  if (only === undefined) return []
  if (second === undefined && only.isTree) {
    return [{ ...grant, scope: { in: belowWritten(root, only.segments) } }]
  }
  const folder = commonStart(
    pieces.map(({ isTree, segments }) => (isTree && second !== undefined ? segments : segments.slice(0, -1)))
  )
  const paths = [...new Set(pieces.map((piece) => pathIn(folder, piece)))]
  return [{ ...grant, scope: { in: belowWritten(root, folder), paths } }]
}

/** A tree or one directory: a grant knows trees. */
const directoryOf = (root: Root, text: string): string =>
  belowWritten(root, unlinked(root, segmentsOf(text.replace(/\/\.$/, "/"))))

const commandOf = (text: string): Option =>
  text.endsWith(":*") ? ["cmds", text.slice(0, -2)] : ["patterns", text]

/** `written` is the command as the grant has it, for one that cannot be written alone. */
const commands = (
  grant: Grant,
  root: Root,
  all: ReadonlyArray<Readonly<Record<string, Pattern>>>,
  written: Option | undefined
): ReadonlyArray<Grant> => {
  const byPlace = new Map<string, Array<Atom>>()
  for (const { argv, in: place = "/" } of all) {
    const [first = "/"] = [place].flat()
    const directory = directoryOf(root, first)
    const option =
      typeof argv !== "string" || argv === "*" ? written : written?.[1] === argv ? written : commandOf(argv)
    byPlace.set(directory, [...(byPlace.get(directory) ?? []), [option]])
  }
  return [...byPlace].flatMap(([directory, atoms]) =>
    regrouped({ ...grant, scope: { in: directory } }, distinctAtoms(atoms))
  )
}

const distinctAtoms = (atoms: ReadonlyArray<Atom>): ReadonlyArray<Atom> => [
  ...new Map(atoms.map((atom) => [JSON.stringify(atom.map((one) => one ?? null)), atom])).values()
]

const listed = (grant: Grant, key: Catalog.Key, texts: ReadonlyArray<string>): ReadonlyArray<Grant> => [
  { ...grant, scope: { [key]: [...new Set(texts)] } }
]

/** In a grant `*.x` is `x` too. */
const hosts = (grant: Grant, texts: ReadonlyArray<string>): ReadonlyArray<Grant> => {
  const apexes = new Set(texts.flatMap((text) => (text.startsWith("*.") ? [text.slice(2)] : [])))
  return listed(
    grant,
    "hosts",
    texts.filter((text) => !apexes.has(text) && !text.startsWith("!"))
  )
}

const unlessAll = (key: Catalog.Key, text: string, all: string): Option | undefined =>
  text === all ? undefined : [key, text]

const records = (
  grant: Grant,
  all: ReadonlyArray<Readonly<Record<string, Pattern>>>
): ReadonlyArray<Grant> => {
  const keys = Catalog.find(grant.name)?.keys ?? []
  const atoms = all.map(
    ({ class: name = "*", path = "**" }): Atom => [
      keys.includes("classes") ? unlessAll("classes", [name].flat()[0] ?? "*", "*") : undefined,
      keys.includes("paths") ? unlessAll("paths", [path].flat()[0] ?? "**", "**") : undefined
    ]
  )
  return regrouped({ ...grant, scope: {} }, distinctAtoms(atoms))
}

/** One grant for all ids where a grant takes a list of them, and one for each where it does not. */
const agents = (grant: Grant, texts: ReadonlyArray<string>): ReadonlyArray<Grant> => {
  const keys = Catalog.find(grant.name)?.keys ?? []
  const [only, second] = texts
  if (keys.includes("ids") && (second !== undefined || only === undefined)) return listed(grant, "ids", texts)
  return texts.map((id) => ({ ...grant, scope: { id } }))
}

/** A grant says which secrets may be sent sealed, and not where to. */
const secrets = (grant: Grant, encoded: ReadonlyArray<Encoded>): ReadonlyArray<Grant> => {
  const refs = encoded.flatMap((one) => (isRecord(one) ? [one.ref ?? []].flat().slice(0, 1) : one))
  const { sealed } = grant.scope
  return listed(grant, "refs", refs).map((one) =>
    sealed === undefined ? one : { ...one, scope: { ...one.scope, sealed } }
  )
}

const texts = (encoded: ReadonlyArray<Encoded>): ReadonlyArray<string> | undefined =>
  encoded.every((one) => typeof one === "string") ? (encoded as ReadonlyArray<string>) : undefined

const isRecord = (one: Encoded): one is Readonly<Record<string, Pattern>> =>
  typeof one !== "string" && !Array.isArray(one)

/** `encoded` is a set of the capability of the grant; `written` is the command that is cut down, if it is one. */
export const rewritten = (
  grant: Grant,
  root: Root | undefined,
  encoded: ReadonlyArray<Encoded>,
  written: Option | undefined
): ReadonlyArray<Grant> => {
  const [resource] = grant.name.split(".")
  const all = texts(encoded)
  if (resource === "records") return records(grant, encoded.filter(isRecord))
  if (grant.name === "proc.exec") {
    return root === undefined ? [] : commands(grant, root, encoded.filter(isRecord), written)
  }
  if (resource === "secrets") return secrets(grant, encoded)
  if (all === undefined) return []
  if (resource === "net") return hosts(grant, all)
  if (resource === "agent") return agents(grant, all)
  if (resource === "storage") return listed(grant, "scopes", all)
  if (resource === "attachments") return listed(grant, "kinds", all)
  if (root === undefined) return []
  if (resource === "fs") return files(grant, root, all)
  return [...new Set(all.map((text) => directoryOf(root, text)))].map((directory) => ({
    ...grant,
    scope: { in: directory }
  }))
}

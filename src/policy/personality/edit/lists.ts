/** The lists of a personality, and what is left of the entries of each when they are cut down to what is needed. */
import { Either } from "effect"
import * as Floor from "../../gate/floor/Floor.js"
import * as Grant from "../../grant/Grant.js"
import { trimmedAll } from "../../grant/Trim.js"
import * as Authority from "../../lattice/Authority.js"
import { cutAll } from "../../lattice/Cut.js"
import { argv } from "../../lattice/dimensions/Command.js"
import { path as pathDimension, root as rootDimension } from "../../lattice/dimensions/Path.js"
import { ref } from "../../lattice/dimensions/Ref.js"
import * as Glob from "../../lattice/Glob.js"
import { HostSet } from "../../lattice/HostSet.js"
import { ScopeSet } from "../../lattice/ScopeSet.js"
import type { Entry } from "../../record/ListEdit.js"
import { quoted, valueOf } from "../../record/WrittenYaml.js"
import type { Reading } from "../../text/Problem.js"
import type { Text } from "../../text/YamlShape.js"
import type { Grounds } from "../authority.js"
import type { PersonalityFile } from "../file.js"
import { CWD, type Root, root, type Variables } from "../paths.js"
import * as Scopes from "../scopes.js"

/** A list of the file, where it stands, and what stands in the place of each of its entries. */
export interface Trimmed {
  readonly path: ReadonlyArray<string>
  readonly entries: ReadonlyArray<{
    readonly text: string
    readonly line: number
    readonly stays: ReadonlyArray<string>
  }>
  readonly written: (text: string) => Entry
}

export interface Ground {
  readonly file: PersonalityFile
  readonly grounds: Grounds
  readonly places: Variables
  readonly to: Authority.Authority
}

const at = (text: string): Text => ({ text, line: 1, column: 1 })

const plain = (text: string): Entry => {
  const line = valueOf(text, 0).line ?? quoted(text)
  return { block: line, flow: line }
}

/** Hosts have a set of their own with the same operations; only the compiler needs to be told. */
const asScopes = (set: HostSet | ScopeSet): ScopeSet => set as ScopeSet

interface Spelling {
  readonly gives: (text: string) => Reading<ScopeSet>
  /** The texts that would stand for a set, if they do. */
  readonly texts: (needed: ScopeSet, entry: string) => ReadonlyArray<string>
  /** What must not come about by naming it. */
  readonly lifts?: (text: string) => ReadonlyArray<string>
}

/** Whether it stands for something else where the working directory is another one. */
const movesWithTurn = ({ text }: Text): boolean => text.startsWith(CWD)

const cutTexts = (
  texts: ReadonlyArray<Text> | undefined,
  needs: ScopeSet,
  { gives, lifts = () => [], texts: spelt }: Spelling
): Trimmed["entries"] => {
  const none = needs.beyond(needs)
  const given = (text: string): ScopeSet => Either.getOrElse(gives(text), () => none)
  // Of two that give the same, the one stays that gives it wherever a turn is.
  const inOrder = (texts ?? []).toSorted((a, b) => Number(movesWithTurn(a)) - Number(movesWithTurn(b)))
  const all = inOrder.map(({ text }) => text)
  const stays = cutAll(all, needs, {
    gives: given,
    cut: (text, needed) => {
      if (needed.isEmpty) return []
      const made = [...new Set(spelt(needed, text))]
      const own = given(text)
      const together = none.join(made.map(given))
      const lifted = new Set(lifts(text))
      const isLess = together.includes(needed) && own.includes(together) && !together.includes(own)
      const isSound = made.every(
        (one) => Either.isRight(gives(one)) && lifts(one).every((path) => lifted.has(path))
      )
      return isLess && isSound ? made : [text]
    }
  })
  return (texts ?? []).map((one) => ({
    text: one.text,
    line: one.line,
    stays: stays[inOrder.indexOf(one)] ?? []
  }))
}

/** One pattern on one dimension each; what is more cannot be written. */
const patterns = (set: ScopeSet): ReadonlyArray<string> =>
  set.encode().flatMap((one) => (typeof one === "string" ? [one] : []))

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((part) => part !== "")

/** Below a root, in the words of the root: what it starts with may stand for something else tomorrow. */
const belowRoot = ({ path, real, written }: Root, pattern: string): string => {
  const segments = segmentsOf(pattern.endsWith("/.") ? pattern.slice(0, -1) : pattern)
  for (const start of [path, real].map(segmentsOf)) {
    if (!start.every((part, i) => segments[i] === part)) continue
    const rest = segments.slice(start.length)
    return rest.length === 0 ? written : `${written.replace(/\/+$/, "")}/${rest.join("/")}`
  }
  return `/${segments.join("/")}`
}

const reach = ({ file, places }: Ground, key: "read" | "write", needs: ScopeSet): Trimmed => {
  const rootOf = (text: string) => root(at(text), places)
  return {
    path: ["fs_reach", key],
    written: plain,
    entries: cutTexts(file[key], needs, {
      gives: (text) => Either.map(rootOf(text), (one) => Scopes.files([one], []).read),
      texts: (needed, entry) =>
        Either.match(rootOf(entry), {
          onLeft: () => [],
          onRight: (one) => patterns(needed).map((pattern) => belowRoot(one, pattern))
        }),
      lifts: (text) =>
        key === "read"
          ? []
          : Either.match(rootOf(text), {
              onLeft: () => [],
              onRight: (one) => Floor.liftedBy(Authority.make({ files: Scopes.files([], [one]) }))
            })
    })
  }
}

/** Where commands ran, without the working directory, where they always may. */
const directories = ({ grounds, to }: Ground): ScopeSet => {
  const { eval: evaluated, exec } = to.scopes.process
  const all = exec
    .projected(rootDimension.name, pathDimension)
    .join([evaluated.projected(rootDimension.name, pathDimension)])
  const always = ScopeSet.make(
    [pathDimension],
    grounds.workdirs.map(({ text }) => ({ path: [Glob.exact(segmentsOf(text))] }))
  )
  return all.beyond(always)
}

const commands = (ground: Ground): Trimmed => {
  const { file, grounds, to } = ground
  const { eval: evaluated, exec } = to.scopes.process
  const shell = ScopeSet.make([argv], evaluated.isEmpty ? [] : [{ argv: [SHELL] }])
  return {
    path: ["process", "allow"],
    written: plain,
    entries: cutTexts(file.process, exec.projected(argv.name, argv).join([shell]), {
      gives: (text) =>
        Either.map(Scopes.processes([at(text)], [], grounds.workdirs), (one) =>
          one.exec.projected(argv.name, argv)
        ),
      texts: (needed) => patterns(needed).map((text) => (text.endsWith(":*") ? text.slice(0, -2) : text))
    })
  }
}

/** Who may run a shell's name may run its scripts. */
const SHELL = Glob.tree(["sh"])

const listed = (
  path: ReadonlyArray<string>,
  texts: ReadonlyArray<Text> | undefined,
  needs: ScopeSet,
  gives: (all: ReadonlyArray<Text>) => Reading<ScopeSet>
): Trimmed => ({
  path,
  written: plain,
  entries: cutTexts(texts, needs, { gives: (text) => gives([at(text)]), texts: patterns })
})

/** An endpoint stays if it was connected to, or if nothing else lets its host be asked. */
const network = ({ file, grounds, to }: Ground): ReadonlyArray<Trimmed> => {
  const { delete: deleted, get, post, put } = to.scopes.network
  const hosts = get.join([post, put, deleted])
  const scopesOf = (allow: ReadonlyArray<Text>, endpoints: ReadonlyArray<Text>) =>
    Scopes.network({ allow, private: endpoints }, grounds.deny)
  const given = (allow: ReadonlyArray<Text>, endpoints: ReadonlyArray<Text>): HostSet =>
    Either.match(scopesOf(allow, endpoints), {
      onLeft: () => HostSet.empty,
      onRight: (one) => one.network.get
    })
  const isConnected = (one: Text): boolean =>
    Either.match(scopesOf([], [one]), {
      onLeft: () => true,
      onRight: (made) => !made.private.connect.meet(to.scopes.private.connect).isEmpty
    })
  const connected = file.network.private.filter(isConnected)
  const rest = hosts.beyond(given([], connected))
  const unlisted = rest.beyond(given(file.network.allow, []))
  const isNeeded = (one: Text): boolean => connected.includes(one) || !given([], [one]).meet(unlisted).isEmpty
  return [
    listed(["safety", "network", "allow"], file.network.allow, asScopes(rest), (all) =>
      Either.map(scopesOf(all, []), (made) => asScopes(made.network.get))
    ),
    {
      path: ["safety", "network", "private"],
      written: plain,
      entries: file.network.private.map((one) => ({
        text: one.text,
        line: one.line,
        stays: isNeeded(one) ? [one.text] : []
      }))
    }
  ]
}

const grants = ({ file, to }: Ground): Trimmed => {
  const compile = (grant: Grant.Grant) => Grant.compile(grant, {})
  const all = file.grants.flatMap(({ written }) =>
    Either.match(Grant.parse(written), { onLeft: () => [], onRight: (one) => [one] })
  )
  const stays = trimmedAll(all, to, compile)
  return {
    path: ["grants"],
    written: (text) =>
      Either.match(Grant.parse(text), {
        onLeft: () => plain(text),
        onRight: (grant) => ({ block: Grant.toYaml(grant), flow: quoted(text) })
      }),
    entries: file.grants.map(({ line, written }, i) => ({
      text: written,
      line,
      stays: (stays[i] ?? []).map(Grant.print)
    }))
  }
}

/** Every list, cut down to what is needed of it. */
export const trimmedLists = (ground: Ground): ReadonlyArray<Trimmed> => {
  const { file, grounds, to } = ground
  const { attachments, files, secrets, storage } = to.scopes
  const ran = directories(ground)
  const readable = Scopes.files(grounds.read, []).read
  return [
    reach(ground, "read", files.read.join([ran])),
    reach(ground, "write", files.write.join([files.delete, ran.beyond(readable)])),
    ...network(ground),
    commands(ground),
    // What is read may be sent sealed: both are of the same refs.
    listed(["secrets", "allow"], file.secrets?.allow, secrets.seal.projected(ref.name, ref), Scopes.refs),
    listed(["storage", "scopes"], file.storage, storage.use, Scopes.storage),
    listed(["attachments", "kinds"], file.attachments, attachments.read, Scopes.attachments),
    grants(ground)
  ]
}

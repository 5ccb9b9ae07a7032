/** The modules that `tools:` names: loaded, or described by processes of their own, or why not. */
import { join } from "node:path"
import { Effect, Either, Exit, Scope } from "effect"
import * as Manifest from "../../registry/manifest/Manifest.js"
import { CliError } from "../CliError.js"
import { whenItEnds } from "../Ending.js"
import { HandOver } from "../HandOver.js"
import type { Surroundings } from "../Surroundings.js"
import { lockIn, unreadableLock } from "./Lock.js"
import { codeOf } from "./own/ImportedCode.js"
import { installationOf, isInstalled } from "./own/Installation.js"
import type { Taken } from "./own/IsolatedModules.js"
import { type Loaded, loadModule } from "./own/LoadModule.js"
import { moduleId, type OwnModule } from "./own/OwnModules.js"
import { NAME, stateDirectory, type Workspace } from "./Workspace.js"

/** A module that is not taken, and the line that names it. */
export interface Refused {
  readonly file: string
  readonly line: number
  readonly error: CliError
  /** What loads it only has to be installed, and until then nothing is known of it. */
  readonly isDue?: boolean
  /** Its tools are offered to nobody for now, and that is all. */
  readonly isWithheld?: boolean
  /** An isolated module that could not be asked what its tools are, as the lock names it. */
  readonly unasked?: string
}

/** Which tools are gathered: those of servers are there unless they are asked for one by one. */
export interface Kinds {
  readonly servers?: boolean
  /** Isolated modules are asked what their tools are, whatever the lock says. */
  readonly asksIsolated?: boolean
  /** The command goes on for as long as somebody likes. */
  readonly lasts?: boolean
}

export interface Modules {
  readonly loaded: ReadonlyArray<Loaded>
  readonly isolated: ReadonlyArray<Taken>
  readonly refused: ReadonlyArray<Refused>
  readonly code: ReadonlyArray<string>
}

export const nothing: Modules = { loaded: [], isolated: [], refused: [], code: [] }

/** A program that has a library of its own cannot load what another copy made: the workspace's does. */
const elsewhere = ({ root, tools }: Workspace, { version = "" }: Surroundings): Modules => {
  const found = installationOf(root, version)
  if (isInstalled(found)) throw new HandOver(found.program)
  const file = join(root, NAME)
  const error = new CliError(`${file} ${found.detail}; ${found.remedy}`)
  return { ...nothing, refused: [{ file, line: tools[0]?.line ?? 1, error, isDue: found.isDue }] }
}

const isDue = ({ root }: Workspace, { version = "" }: Surroundings): boolean => {
  const found = installationOf(root, version)
  return !isInstalled(found) && found.isDue
}

export const modulesOf = async (
  workspace: Workspace,
  around: Surroundings,
  kinds: Kinds
): Promise<Modules> => {
  const { load } = around
  if (load === undefined || isDue(workspace, around)) return elsewhere(workspace, around)
  const { root, tools } = workspace
  const [loaded, isolated]: [Array<Loaded>, Array<Taken>] = [[], []]
  const refused: Array<Refused> = []
  const code = new Map<OwnModule, ReadonlyArray<string>>()
  const each = async (modules: ReadonlyArray<OwnModule>, take: (module: OwnModule) => Promise<void>) => {
    for (const module of modules) {
      try {
        code.set(module, codeOf(module, root, tools))
        await take(module)
      } catch (error) {
        if (!(error instanceof CliError)) throw error
        refused.push(refusedFor(module, error, root))
      }
    }
  }
  await each(
    tools.filter((module) => module.isolated === undefined),
    async (module) => void loaded.push(await loadModule(module, root, load, around.env))
  )
  const apart = tools.filter((module) => module.isolated !== undefined)
  // What speaks with processes of tools is loaded only where there is one.
  if (apart.length > 0) {
    const { isolatedModule } = await import("./own/IsolatedModules.js")
    const scope = Effect.runSync(Scope.make())
    whenItEnds(around, () => Effect.runPromise(Scope.close(scope, Exit.void)))
    const given = {
      ...{ root, scope, signal: around.signal, sandbox: workspace.sandbox, warn: around.complain },
      state: stateDirectory(workspace, around),
      accepted: kinds.asksIsolated === true ? undefined : acceptedIn(root, around),
      tags: loaded.flatMap(({ tags }) => tags),
      codeOf: (module: OwnModule) => code.get(module) ?? [],
      lasts: kinds.lasts === true
    }
    await each(apart, async (module) => {
      const answer = await isolatedModule(module, given)
      if (answer._tag === "Taken") isolated.push(answer)
      else refused.push({ ...refusedFor(module, answer.error, root), isWithheld: true })
    })
  }
  return { loaded, isolated, refused, code: [...code.values()].flat() }
}

const refusedFor = (module: OwnModule, error: CliError, root: string): Refused => ({
  file: module.file,
  line: module.line,
  error,
  ...(module.isolated === undefined ? {} : { unasked: moduleId(module, root) })
})

/** A lock that nobody can read pins nothing. */
const acceptedIn = (root: string, { complain }: Surroundings): Manifest.Manifest => {
  const lock = lockIn(root)
  return Either.getOrElse(lock.read, (error) => {
    complain(`the tools of packages are not offered: ${unreadableLock(lock, error).message}`)
    return Manifest.empty
  })
}

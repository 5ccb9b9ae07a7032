/**
 * The `bailiwick` that a workspace has installed: its tools are made by that copy of the library, so that copy's command
 * line runs them. Found as Node finds it for an `import`, without anything of it being loaded.
 */
import { readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"

export interface Installation {
  /** The module that runs commands beside the library that tools import. */
  readonly program: string
}

export interface NotInstalled {
  readonly detail: string
  readonly remedy: string
}

const NAME = "bailiwick"

/** Beside the modules of the library, whose parts it shares. */
const PROGRAM = "dist/cli/program.js"

interface Manifest {
  readonly name?: unknown
  readonly version?: unknown
  readonly dependencies?: unknown
  readonly devDependencies?: unknown
}

const manifestIn = (directory: string): Manifest | undefined => {
  try {
    const found: unknown = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))
    return typeof found === "object" && found !== null ? found : {}
  } catch {
    return undefined
  }
}

const isFile = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}

/** The directory and everything above it, innermost first. */
export const upward = (from: string): ReadonlyArray<string> => {
  const above = dirname(from)
  return above === from ? [from] : [from, ...upward(above)]
}

/** The directory of a package as modules in a directory import it. */
export const packageFrom = (name: string, from: string): string | undefined =>
  upward(from)
    .map((one) => join(one, "node_modules", name))
    .find((one) => isFile(join(one, "package.json")))

/** A package may import itself by its name. */
const itself = (root: string): string | undefined => {
  const scope = upward(root).find((one) => manifestIn(one) !== undefined)
  return scope !== undefined && manifestIn(scope)?.name === NAME ? scope : undefined
}

const majorOf = (version: unknown): string => String(version).split(".")[0] ?? ""

/** Whether some `package.json` upward asks for the library already. */
const isListed = (root: string): boolean =>
  upward(root).some((directory) => {
    const { dependencies, devDependencies } = manifestIn(directory) ?? {}
    return [dependencies, devDependencies].some((one) => Object.hasOwn(Object(one), NAME))
  })

const UPDATE = "install one that fits: npm i bailiwick effect@3"

export const installationOf = (root: string, running: string): Installation | NotInstalled => {
  const directory = itself(root) ?? packageFrom(NAME, root)
  if (directory === undefined) {
    return {
      detail: "names tools of its own, and bailiwick is not installed beside them",
      remedy: `in the workspace, run: ${isListed(root) ? "npm install" : "npm i bailiwick effect@3"}`
    }
  }
  const version = manifestIn(directory)?.version
  if (majorOf(version) !== majorOf(running)) {
    return {
      detail: `names tools of its own, and has bailiwick ${version} installed, which does not fit ${running}`,
      remedy: UPDATE
    }
  }
  const program = join(directory, PROGRAM)
  return isFile(program)
    ? { program }
    : {
        detail: `names tools of its own, and its bailiwick ${version} in ${directory} cannot load them`,
        remedy: UPDATE
      }
}

export const isInstalled = (found: Installation | NotInstalled): found is Installation => "program" in found

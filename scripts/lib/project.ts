import { readdirSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/** The root of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..")

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin?: string | Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

const installed = (name: string) => join(root, "node_modules", name)

export const versionOf = (name: string) => readManifest(installed(name)).version

/**
 * The script behind a package's command. `node_modules/.bin` is not asked, because three compilers compete
 * for the name `tsc` there.
 */
export const commandOf = (name: string, command = name): string => {
  const { bin } = readManifest(installed(name))
  const path = typeof bin === "string" ? bin : bin?.[command]
  if (path === undefined) throw new Error(`${name} has no command ${command}`)
  return join(installed(name), path)
}

/** Files under a folder of the repository, as paths relative to the root; none when the folder is absent. */
export const filesUnder = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .sort()
  } catch {
    return []
  }
}

/** Runs with a new folder inside `parent`, and removes it afterwards. */
export const withFolder = async <A>(parent: string, use: (folder: string) => Promise<A>): Promise<A> => {
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, "bailiwick-"))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Inside the repository, where imports resolve as they do in it, and ignored by git. */
export const scratch = join(root, ".tmp")

/** A workspace as `bailiwick init` makes it, with this very tarball installed: every step of its README works. */
import { cp, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Finished, node, npm } from "../lib/command.js"
import { commandOf, type Manifest } from "../lib/project.js"
import { has } from "../lib/system.js"

const explain = (what: string, { ok, output }: Finished): ReadonlyArray<string> =>
  ok ? [] : [`in a new workspace, ${what}:\n${output}`]

/** The checks are those of this repository: they need not be fetched again. */
const AT_HAND = ["@effect/language-service", "eslint", "typescript"]

const withTarball = async (folder: string, tarball: string): Promise<void> => {
  await cp(tarball, join(folder, "package.tgz"))
  const file = join(folder, "package.json")
  const given = JSON.parse(await readFile(file, "utf8"))
  for (const name of AT_HAND) delete given.devDependencies[name]
  await writeFile(
    file,
    JSON.stringify({ ...given, dependencies: { ...given.dependencies, bailiwick: "file:package.tgz" } })
  )
}

const install = (folder: string): Promise<Finished> =>
  npm(["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"], {
    cwd: folder
  })

/** Whether the machine holds commands is no matter of the workspace. */
const looking = has("bwrap") ? ["doctor", "--strict"] : ["doctor"]

const locks = async (folder: string, tool: string): Promise<ReadonlyArray<string>> => {
  const { tools } = JSON.parse(await readFile(join(folder, "bailiwick.lock.json"), "utf8"))
  return Object.hasOwn(tools, tool) ? [] : [`in a new workspace, the lock does not have ${tool}`]
}

/** `around` has the tarball installed, so that there is a command to begin with. */
export const checkNewWorkspace = async (
  around: string,
  tarball: string,
  { exports }: Manifest
): Promise<ReadonlyArray<string>> => {
  const folder = join(around, "new-workspace")
  const command = join(around, "node_modules/.bin/bailiwick")
  const env = { PATH: process.env.PATH ?? "", XDG_STATE_HOME: join(around, "state") }
  const bailiwick = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
    explain(`bailiwick ${args.join(" ")}`, await node([command, ...args], { cwd: folder, env }))
  const made = await node([command, "init", folder], { cwd: around, env })
  if (!made.ok) return explain("bailiwick init", made)
  const before = await bailiwick(...looking)
  await withTarball(folder, tarball)
  const installed = await install(folder)
  if (!installed.ok) return [...before, ...explain("npm install", installed)]
  return [
    ...before,
    ...explain("npm test", await node(["--test"], { cwd: folder })),
    ...(await bailiwick(...looking)),
    ...(await bailiwick("manifest")),
    ...(await bailiwick("manifest", "--check")),
    ...(await locks(folder, "fetch_weather")),
    ...(await bailiwick("tools", "list", "--agent", "scout")),
    ...("./tsconfig.tools.json" in exports
      ? explain("tsc", await node([commandOf("typescript", "tsc"), "--noEmit"], { cwd: folder }))
      : []),
    ...("./eslint-plugin" in exports
      ? explain("eslint", await node([commandOf("eslint"), "."], { cwd: folder }))
      : [])
  ]
}

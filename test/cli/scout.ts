/** An agent to grant to: its record in a throw-away workspace, and what it holds. */
import { readFileSync } from "node:fs"
import { Folder, type Options } from "./workspace.js"

export const record = (...front: ReadonlyArray<string>): string =>
  [
    "---",
    "# who it is",
    "id: agents/scout",
    "class: agent",
    ...front,
    "---",
    "",
    "# Scout",
    "",
    "Body  \n"
  ].join("\n")

export const SCOUT = "records/agents/scout.md"

export const folderOf = (...front: ReadonlyArray<string>): Folder =>
  new Folder({ "bailiwick.yaml": "", [SCOUT]: record(...front) })

export const text = (folder: Folder): string => readFileSync(folder.path(SCOUT), "utf8")

export const agents = (folder: Folder, args: ReadonlyArray<string>, options: Options = {}) =>
  folder.bailiwick(["agents", ...args], options)

export const held = async (folder: Folder): Promise<ReadonlyArray<string>> => {
  const { stdout } = await agents(folder, ["capabilities", "scout", "--json"])
  return JSON.parse(stdout).grants.map(({ grant }: { grant: string }) => grant)
}

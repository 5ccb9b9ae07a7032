/** Where the files of a session lie: in one directory each, whose name tells nothing of the session. */
import { createHash } from "node:crypto"
import { chmod, mkdir, realpath } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { AttachmentsError } from "../../../capabilities/attachments/AttachmentsOperations.js"
import * as Kept from "../disk/Kept.js"

/** A cache directory, by the path that it has and by the one that it was given as. */
export interface Root {
  readonly path: string
  readonly given: string
}

/** What lies in it is closed to files, but for what a session reads of its own: only what came with its turn is named. */
const kept = (root: Root): Root => {
  Kept.close(root.given, {
    opens: (path, session) => path.startsWith(`${directoryOf(root, session)}/`)
  })
  return root
}

export const failed = (detail: string) => new AttachmentsError({ code: "ATTACHMENTS_FAILED", detail })

/** Nobody but the host looks into it. */
export const openRoot = (directory: string): Effect.Effect<Root, AttachmentsError> =>
  Effect.tryPromise({
    try: async () => {
      const given = resolve(directory)
      const made = await mkdir(given, { recursive: true, mode: 0o700 })
      if (made !== undefined) await chmod(given, 0o700)
      return kept({ path: await realpath(given), given })
    },
    catch: () => failed("the directory of the attachment cache cannot be made or opened; name another")
  })

/** What a path that need not exist yet will be, once the links above it are followed. */
const realOf = (path: string): Promise<string> =>
  realpath(path).catch(async () => {
    const above = dirname(path)
    return above === path ? path : join(await realOf(above), basename(path))
  })

/** The same, without making anything. */
export const findRoot = (directory: string): Effect.Effect<Root> =>
  Effect.promise(async () => {
    const given = resolve(directory)
    return kept({ path: await realOf(given), given })
  })

/** Sessions are told apart by all that is in their names, and no name reaches the disk. */
export const directoryOf = ({ path }: Pick<Root, "path">, session: string): string =>
  join(path, createHash("sha256").update(session, "utf8").digest("hex"))

export const isNamespace = (name: string): boolean => /^[0-9a-f]{64}$/.test(name)

/** The path of a `file://` URL, and nothing for any other. */
export const pathOfUrl = (url: string): string | undefined => {
  if (!/^file:\/\//i.test(url)) return undefined
  try {
    const parsed = new URL(url)
    if (parsed.search !== "" || parsed.hash !== "") return undefined
    const path = fileURLToPath(parsed)
    return path.includes("\0") ? undefined : path
  } catch {
    return undefined
  }
}

/** The path of a URL, if it is that of an entry of the session; worked out without a look at the disk. */
export const locateIn = (root: Root, session: string, url: string): string | undefined => {
  const path = pathOfUrl(url)
  if (path === undefined) return undefined
  const own = directoryOf(root, session)
  for (const start of [own, directoryOf({ path: root.given }, session)]) {
    const name = path.startsWith(`${start}/`) ? path.slice(start.length + 1) : ""
    if (name !== "" && !name.startsWith(".") && !name.includes("/")) return join(own, name)
  }
  return undefined
}

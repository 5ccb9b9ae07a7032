import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"

/** A directory that goes away with its scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-tree-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Files by their paths; a name that ends in `/` is a directory, a text that begins with `->` a link. */
export const fill = (root: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    const at = join(root, path)
    mkdirSync(path.endsWith("/") ? at : dirname(at), { recursive: true })
    if (path.endsWith("/")) continue
    if (text.startsWith("->")) symlinkSync(text.slice(2), at)
    else writeFileSync(at, text)
  }
}

import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
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

/** Returns once the clock of the disk has moved on: what changes from then on shows another time. */
export const ticked = (): void => {
  const probe = mkdtempSync(join(tmpdir(), "bailiwick-tick-"))
  const first = statSync(probe, { bigint: true }).ctimeNs
  while (statSync(probe, { bigint: true }).ctimeNs === first) utimesSync(probe, 0, 0)
  rmSync(probe, { recursive: true })
}

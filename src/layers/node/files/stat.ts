/** What is at a path: kind, size and time, of what is open and was checked, and not of a name. */
import * as fs from "node:fs"
import { Effect } from "effect"
import type { Files } from "../../../capabilities/files/Files.js"
import { verified } from "../disk/Directory.js"
import { call, close, type Disk } from "../disk/Disk.js"
import { elsewhere, Trouble } from "../disk/Trouble.js"

export const statAt = (disk: Disk, path: string): Effect.Effect<Files.Stat, Trouble> =>
  Effect.acquireUseRelease(
    verified(disk, path, disk.reality.look, path),
    (fd) =>
      Effect.flatMap(
        call<fs.Stats>((done) => fs.fstat(fd, done)),
        (stats): Effect.Effect<Files.Stat, Trouble> => {
          if (stats.isSymbolicLink()) return Effect.fail(elsewhere)
          if (!stats.isFile() && !stats.isDirectory()) return Effect.fail(new Trouble("SPECIAL"))
          return Effect.succeed({
            kind: stats.isFile() ? "file" : "directory",
            size: stats.isFile() ? stats.size : 0,
            modifiedMillis: Math.trunc(stats.mtimeMs)
          })
        }
      ),
    close
  )

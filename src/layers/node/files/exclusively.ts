/** Puts a file where nothing is; of several who try at once, one does. */
import * as fs from "node:fs"
import { Effect } from "effect"
import { act, CREATE, call, close } from "../disk/Disk.js"
import type { Trouble } from "../disk/Trouble.js"

/** File systems without a second name for a file, and kernels that give one to owners alone. */
const unlinkable: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/** Takes the name with an empty file, and then its place. */
const reserve = (from: string, to: string): Effect.Effect<void, Trouble> =>
  Effect.zipRight(
    Effect.flatMap(
      call<number>((done) => fs.open(to, CREATE, 0o600, done)),
      close
    ),
    Effect.tapError(
      act((done) => fs.rename(from, to, done)),
      () => Effect.ignore(act((done) => fs.unlink(to, done)))
    )
  )

/** The file has the new name and not the old one. It appears there whole, unless the file system knows only one name. */
export const putExclusively = (from: string, to: string): Effect.Effect<void, Trouble> =>
  Effect.matchEffect(
    act((done) => fs.link(from, to, done)),
    {
      onFailure: (trouble) => (unlinkable.has(trouble.code) ? reserve(from, to) : Effect.fail(trouble)),
      onSuccess: () =>
        Effect.tapError(
          act((done) => fs.unlink(from, done)),
          () => Effect.ignore(act((done) => fs.unlink(to, done)))
        )
    }
  ).pipe(Effect.uninterruptible)

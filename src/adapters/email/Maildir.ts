/** A maildir: what is in `new/` is handed over, and is in `cur/` once that was done. */
import { constants } from "node:fs"
import { mkdir, open, readdir, rename } from "node:fs/promises"
import { join } from "node:path"
import { type Duration, Effect } from "effect"
import { AdapterError } from "../AdapterError.js"
import type { Taken } from "../Delivery.js"
import type { Draft } from "../Intake.js"
import { draftOf, MAX_MAIL, type MailLimits } from "./Mail.js"

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const unreadable = (what: string) =>
  new AdapterError({
    code: "MESSAGE_INVALID",
    platform: "email",
    detail: `${what} cannot be read; it must be a regular file, and no link`
  })

/** No more of it than one byte beyond the limit, which tells that it is too long. */
export const readMail = (
  path: string,
  { maxMailBytes = MAX_MAIL }: MailLimits
): Effect.Effect<Uint8Array, AdapterError> =>
  Effect.tryPromise({
    try: async () => {
      const file = await open(path, FLAGS)
      try {
        const stat = await file.stat()
        if (!stat.isFile()) throw new Error("not a file")
        const bytes = Buffer.alloc(Math.min(stat.size, maxMailBytes + 1))
        let length = 0
        while (length < bytes.length) {
          const { bytesRead } = await file.read(bytes, length, bytes.length - length, length)
          if (bytesRead === 0) break
          length += bytesRead
        }
        return bytes.subarray(0, length)
      } finally {
        await file.close()
      }
    },
    catch: () => unreadable("the mail")
  })

/**
 * @since 0.1.0
 * @category models
 */
export interface MaildirOptions extends MailLimits {
  /** The maildir, with `new/`, `cur/` and `tmp/` in it. */
  readonly directory: string
  /** How long to wait between two looks into `new/`: five seconds unless told. */
  readonly every?: Duration.DurationInput | undefined
  /** How often a mail is handed over that the program fails on, before it is left where it is: 3 unless told. */
  readonly tries?: number | undefined
}

const isMail = (name: string): boolean => !name.startsWith(".")

export const watch = (
  { directory, every = "5 seconds", tries = 3, ...limits }: MaildirOptions,
  hand: (draft: Draft) => Effect.Effect<Taken>
): Effect.Effect<never, AdapterError> => {
  const failures = new Map<string, number>()
  /** What was taken, and could not be moved. */
  const unmoved = new Set<string>()
  const path = (folder: "new" | "cur", name: string) => join(directory, folder, name)

  /** What cannot be moved is tried again with every look, and not handed over again. */
  const done = (name: string) =>
    Effect.tryPromise(() =>
      rename(path("new", name), path("cur", name.includes(":2,") ? name : `${name}:2,S`))
    ).pipe(
      Effect.matchEffect({
        onSuccess: () => Effect.sync(() => unmoved.delete(name)),
        onFailure: () =>
          unmoved.has(name)
            ? Effect.void
            : Effect.zipRight(
                Effect.sync(() => unmoved.add(name)),
                Effect.logError("Email.maildir: a mail was taken, and cannot be moved from new/ to cur/")
              )
      })
    )

  const failed = (name: string, why: string) =>
    Effect.suspend(() => {
      const count = (failures.get(name) ?? 0) + 1
      failures.set(name, count)
      return count < tries ? Effect.void : Effect.logError(`Email.maildir: a mail is left in new/: ${why}`)
    })

  /** Between the end of the handler and the move nobody is interrupted, so that it is not handed over again. */
  const take = (name: string): Effect.Effect<unknown, AdapterError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.either(restore(readMail(path("new", name), limits))), (mail) =>
        mail._tag === "Left"
          ? failed(name, mail.left.message)
          : Effect.flatMap(restore(Effect.flatMap(draftOf(mail.right, limits), hand)), (taken) =>
              taken === "taken" ? done(name) : failed(name, "the program failed on it each time")
            )
      )
    )

  const look = Effect.flatMap(
    Effect.tryPromise({
      try: async () => {
        await mkdir(join(directory, "cur"), { recursive: true })
        return (await readdir(join(directory, "new"))).filter(isMail).sort()
      },
      catch: () =>
        new AdapterError({
          code: "SETTING_INVALID",
          platform: "email",
          detail: "the maildir cannot be read; name a directory with new/ and cur/ in it"
        })
    }),
    (names) => {
      const here = new Set(names)
      for (const name of failures.keys()) if (!here.has(name)) failures.delete(name)
      for (const name of unmoved) if (!here.has(name)) unmoved.delete(name)
      return Effect.forEach(
        names.filter((name) => (failures.get(name) ?? 0) < tries),
        (name) => (unmoved.has(name) ? done(name) : take(name)),
        { discard: true }
      )
    }
  )

  return Effect.forever(Effect.zipRight(look, Effect.sleep(every)))
}

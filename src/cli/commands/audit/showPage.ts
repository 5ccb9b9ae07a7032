/** The log as a page: in a file, or served to this machine alone. */
import { basename, relative, resolve } from "node:path"
import { Cause, Effect, Exit, Option, type Scope } from "effect"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import { type Remark, sentenceOf } from "../../../layers/node/audit/AuditFiles.js"
import { seen } from "../../../policy/text/Quote.js"
import type { AuditCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import { count } from "../../report/Table.js"
import { writeAnew } from "../../workspace/WriteFile.js"
import type { Asked } from "./Asked.js"
import { Newest } from "./core/Newest.js"
import { readLog } from "./Log.js"
import { Collected, MOST } from "./page/Collected.js"
import { inPage } from "./page/InPage.js"
import { filledPage, type PageInput, pageOf } from "./page/Page.js"
import { servePage } from "./page/Serve.js"
import { lookingAt } from "./page/WorkspaceView.js"
import { type Tailing, tailOf } from "./tailOf.js"

/** What the page is about, by a short name: where it stands on a disk is nobody's concern to whom it is shown. */
const aboutOf = ({ log: { from, nameOf, setting } }: Asked): string => {
  if (setting?.workspace !== undefined) return basename(setting.workspace.root)
  return "files" in from ? from.files.map((file) => basename(nameOf(file))).join(", ") : "this machine"
}

/** `notes` are what is said besides. */
type Look = (notes: ReadonlyArray<string>) => Promise<Pick<PageInput, "workspace" | "notes">>

/** What is to be said beside the entries, as it is when somebody looks. */
const lookOf = async ({ around, log: { setting } }: Asked, collected: Collected): Promise<Look> => {
  const look = setting === undefined ? undefined : await lookingAt(setting, around)
  return async (notes) => {
    const workspace = await look?.(collected.all.entries)
    return { workspace, notes: [...notes, ...collected.notes, ...(workspace?.notes ?? [])] }
  }
}

const numberOf = (entries: ReadonlyArray<AuditEntry>, type: AuditEntry["type"]): number =>
  entries.filter((entry) => entry.type === type).length

const write = async ({ html = "", json }: AuditCommand, asked: Asked): Promise<number> => {
  const { around, filter, log } = asked
  const collected = new Collected(filter)
  const remarks: Array<Remark> = []
  const reading = {
    since: filter.since,
    remark: (one: Remark) => void remarks.push(one),
    isQuiet: true
  }
  await readLog(log, around, reading, (entries) => collected.add([...entries]))
  const look = await lookOf(asked, collected)
  const { entries } = collected.shown
  const text = await pageOf({
    about: aboutOf(asked),
    entries,
    covers: collected.covers,
    generated: Date.now(),
    ...(await look(remarks.map(sentenceOf)))
  })
  const file = resolve(around.cwd, html)
  writeAnew(file, text)
  const [decisions, calls] = [numberOf(entries, "decision"), numberOf(entries, "call")]
  const bytes = Buffer.byteLength(text)
  await around.print(
    json
      ? `${JSON.stringify({ file, decisions, calls, bytes }, null, 2)}\n`
      : `wrote ${seen(relative(around.cwd, file) || file)} (${Math.ceil(bytes / 1024)} KiB): ${count(decisions, "decision")} and ${count(calls, "call")}; open it in a browser\n`
  )
  return 0
}

const byTime = (a: AuditEntry, b: AuditEntry): number => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)

/** What is there: files are read one after the other, and each has its own times. */
const begin = (tail: Tailing, collected: Collected): void => {
  const newest = new Newest<AuditEntry>(MOST)
  tail.look((entry) => {
    if (collected.isSince(entry)) newest.add(entry)
  })
  collected.skip(newest.left)
  collected.add(newest.items.toSorted(byTime))
}

const leftOutOf = ({ leftOut }: Tailing): ReadonlyArray<string> => {
  if (leftOut === 0) return []
  const [what, is] = leftOut === 1 ? ["line", "is no entry, and is"] : ["lines", "are no entries, and are"]
  return [`${leftOut} ${what} of the log ${is} left out`]
}

const serving = (
  port: number,
  asked: Asked,
  collected: Collected,
  look: Look
): Effect.Effect<never, CliError, Scope.Scope> =>
  Effect.gen(function* () {
    const { around, log } = asked
    const shown = inPage(log.setting?.workspace?.root)
    const tail = yield* Effect.tryPromise({
      try: () => tailOf(log, asked.filter.since ?? 0, around.complain),
      catch: (error) => (error instanceof CliError ? error : new CliError("the log cannot be read"))
    })
    begin(tail, collected)
    const more = (): void => {
      const found: Array<AuditEntry> = []
      tail.look((entry) => found.push(entry))
      collected.add(found)
    }
    const { url } = yield* Effect.mapError(
      servePage({
        port,
        feed: collected.shown,
        shown,
        page: async (after) => {
          const entries = collected.shown.entries
          return filledPage({
            about: aboutOf(asked),
            entries,
            covers: collected.covers,
            generated: Date.now(),
            live: { after },
            ...(await look(leftOutOf(tail)))
          })
        }
      }),
      ({ detail }) => new CliError(detail)
    )
    yield* tail.watched(more)
    yield* Effect.promise(() => around.print(`${url}\n`))
    around.complain("bailiwick: whoever has this address can read the log; Ctrl-C ends")
    return yield* Effect.never
  })

const serve = async (port: number, asked: Asked): Promise<number> => {
  const collected = new Collected(asked.filter)
  const look = await lookOf(asked, collected)
  const exit = await Effect.runPromiseExit(Effect.scoped(serving(port, asked, collected, look)), {
    signal: asked.around.signal
  })
  if (Exit.isSuccess(exit)) return 0
  throw Option.getOrElse(Cause.failureOption(exit.cause), () => Cause.squash(exit.cause))
}

/** Throws a `CliError`. */
export const showPage = (command: AuditCommand, asked: Asked): Promise<number> =>
  command.serve === undefined ? write(command, asked) : serve(command.serve, asked)

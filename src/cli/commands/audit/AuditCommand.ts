/** `audit`: what agents did and what they were refused, as a table, as JSON, as it goes on, or as a page. */
import type { AuditCommand, AuditVerifyCommand } from "../../Arguments.js"
import type { Surroundings } from "../../Surroundings.js"
import { type Asked, filterOf } from "./Asked.js"
import { follow } from "./follow.js"
import { printJson } from "./json.js"
import { logOf } from "./Log.js"
import { printTable } from "./printTable.js"

/** So many calls are shown, and so many decisions of each, unless somebody asks for more. */
const CALLS = 100
const DECISIONS = 10

const show = async (command: AuditCommand, around: Surroundings): Promise<number> => {
  const log = await logOf(command, around)
  const asked: Asked = { log, filter: filterOf(command, Date.now()), around }
  const { html, json, limit, serve } = command
  if (html !== undefined || serve !== undefined) {
    return (await import("./showPage.js")).showPage(command, asked)
  }
  const isAll = limit === "all"
  const decisions = isAll ? Number.POSITIVE_INFINITY : DECISIONS
  if (command.follow) {
    return follow(asked, { json, decisions, most: isAll ? Number.POSITIVE_INFINITY : (limit ?? CALLS) })
  }
  if (!json) await printTable(asked, { calls: isAll ? undefined : (limit ?? CALLS), decisions })
  else {
    const { names } = await printJson(asked, isAll ? undefined : limit)
    // Lists that are empty say so by themselves; a name that is misspelt does not.
    for (const sentence of names.absent(asked.filter)) around.complain(`bailiwick: ${sentence}`)
  }
  return 0
}

/** Throws a `CliError`. */
export const audit = async (
  command: AuditCommand | AuditVerifyCommand,
  around: Surroundings
): Promise<number> =>
  command.command === "audit" ? show(command, around) : (await import("./verify.js")).verify(command, around)

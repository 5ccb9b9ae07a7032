/** The directory of records: that it is there, can be read, and has one file to an id. */
import { bare, folded, skeleton } from "../../policy/text/Lookalike.js"
import { quote } from "../../policy/text/Quote.js"
import type { Finding, Workspace } from "./Model.js"
import { type Check, some } from "./subjects.js"

const missing = ({ records: { directory, isThere } }: Workspace): ReadonlyArray<Finding> =>
  isThere
    ? []
    : [
        {
          severity: "warning",
          check: "records",
          subject: "workspace",
          code: "RECORDS_MISSING",
          file: directory,
          detail: "there is no directory of records, and so there are no agents",
          remedy: "create it, or write 'records_dir' in bailiwick.yaml"
        }
      ]

const unreadable = ({ records }: Workspace): ReadonlyArray<Finding> =>
  records.unreadable.map((problem) => ({ severity: "failure", check: "records", ...problem }))

const difference = (a: string, b: string): string => {
  if (a.normalize() === b.normalize()) return "are one id but for the encoding of letters"
  if (folded(a) !== folded(b)) return "look alike"
  return bare(a) === a && bare(b) === b
    ? "are one id but for the case of letters"
    : "are one id but for a character that cannot be seen"
}

const linked = ({ records: { links = [] } }: Workspace): ReadonlyArray<Finding> =>
  links.map(({ file, id }) => ({
    severity: "warning",
    check: "records",
    subject: id,
    code: "LINK_IGNORED",
    file,
    detail:
      "it is a link, and no link among the records is followed: whoever can write where it leads could write records",
    remedy: "put the file itself there, or delete the link"
  }))

/** Some file systems take them for one file, and most readers for one agent. */
const twins = ({ records: { files } }: Workspace): ReadonlyArray<Finding> => {
  // Drawn, a capital I is an l: what differs in its case alone is found by folding alone.
  const first = { folded: new Map<string, string>(), drawn: new Map<string, string>() }
  return files.flatMap(({ file, id }): ReadonlyArray<Finding> => {
    const [one, looks] = [folded(id), skeleton(id)]
    const other = first.folded.get(one) ?? first.drawn.get(looks)
    if (!first.folded.has(one)) first.folded.set(one, id)
    if (!first.drawn.has(looks)) first.drawn.set(looks, id)
    if (other === undefined) return []
    return [
      {
        severity: "warning",
        check: "records",
        subject: id,
        code: "ID_AMBIGUOUS",
        file,
        detail: `${quote(id)} and ${quote(other)} ${difference(id, other)}`,
        remedy: "rename one of the files"
      }
    ]
  })
}

export const records: Check = {
  name: "records",
  passed: ({ workspace }) =>
    workspace && `${some(workspace.records.files.length, "record")} in ${workspace.records.directory}`,
  findings: ({ workspace }) =>
    workspace === undefined
      ? []
      : [...missing(workspace), ...unreadable(workspace), ...linked(workspace), ...twins(workspace)]
}

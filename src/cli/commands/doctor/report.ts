/** What the doctor found, for a reader. */
import { relative } from "node:path"
import { seen } from "../../../policy/text/Quote.js"
import * as Doctor from "../../../registry/doctor/Doctor.js"
import { type Row, rows } from "../../report/Table.js"
import type { Terminal } from "../../report/Terminal.js"

export interface Seen {
  readonly workspace: string | undefined
  readonly agents: number
  readonly cwd: string
  readonly report: Doctor.Report
}

/** As an editor reads it, from where the reader stands. */
const placeOf = ({ file, line }: Doctor.Finding, cwd: string): string | undefined => {
  if (file === undefined) return undefined
  const near = relative(cwd, file)
  return `${near === "" || near.startsWith("..") ? file : near}${line === undefined ? "" : `:${line}`}`
}

const rowOf =
  (cwd: string) =>
  (finding: Doctor.Finding): Row => {
    const { code, detail, remedy, severity, subject } = finding
    const place = placeOf(finding, cwd)
    return {
      mark: severity === "failure" ? "bad" : "warning",
      title: `${seen(subject)}: ${detail}`,
      detail: [place === undefined ? code : `${seen(place)} ${code}`, `→ ${remedy}`]
    }
  }

export const doctorReport = (terminal: Terminal, { agents, cwd, report, workspace }: Seen): string => {
  const head =
    workspace === undefined
      ? "there is no workspace here, so that only the machine was looked at\n"
      : agents === 0
        ? "(no agent records)\n"
        : ""
  const all: ReadonlyArray<Row> = [
    ...report.passed.map(({ check, detail }): Row => ({ mark: "good", title: `${check}: ${detail}` })),
    ...report.findings.map(rowOf(cwd))
  ]
  return `${head}${rows(terminal, all)}${Doctor.summary(report)}\n`
}

/** Reads the log for one subject. */
import type * as Asked from "../../../audit/Asked.js"
import { type Evidence, Gathering } from "../../../audit/suggest/Evidence.js"
import { type Remark, sentenceOf } from "../../../layers/node/audit/AuditFiles.js"
import type { Surroundings } from "../../Surroundings.js"
import { type Log, readLog } from "../audit/Log.js"
import type { Subject } from "./subjects.js"

export interface Gathered {
  readonly evidence: Evidence
  /** What was left out of the files. */
  readonly remarks: ReadonlyArray<string>
  /** When the log begins, be it before what was asked for. */
  readonly begins: string | undefined
}

type Around = Pick<Surroundings, "env" | "signal" | "stderr">

const firstOf = async (log: Log, around: Around): Promise<string | undefined> => {
  let first: string | undefined
  await readLog(log, around, { most: 1 }, (entries) => {
    for (const { time } of entries) first ??= time
  })
  return first
}

/** Throws a `CliError`. */
export const gather = async (
  log: Log,
  { named }: Pick<Subject, "named">,
  since: number | undefined,
  places: Asked.Places,
  around: Around
): Promise<Gathered> => {
  const gathering = new Gathering(named, places)
  const remarks: Array<Remark> = []
  await readLog(log, around, { since, isQuiet: true, remark: (one) => void remarks.push(one) }, (entries) => {
    for (const entry of entries) gathering.add(entry)
  })
  const { evidence } = gathering
  return {
    evidence,
    remarks: remarks.map(sentenceOf),
    begins: since === undefined ? evidence.begins : await firstOf(log, around)
  }
}

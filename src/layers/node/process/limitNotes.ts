/** Which limit a child met, as far as its end and its last words tell. Programs say it in words that hardly differ. */
import type { ChildLimits } from "../sandbox/ChildLimits.js"
import type { Ended } from "./ended.js"

interface Sign {
  readonly of: keyof ChildLimits
  readonly said: RegExp
  readonly note: (limit: number) => string
}

const mebibytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1024 / 1024))} MiB`

const signs: ReadonlyArray<Sign> = [
  {
    of: "processes",
    said: /resource temporarily unavailable|cannot fork|can't fork|\bEAGAIN\b/i,
    note: (processes) =>
      `it seems to have met the limit of ${processes} processes; have it start fewer at once`
  },
  {
    of: "memoryBytes",
    said: /cannot allocate memory|out of memory|bad_alloc|memoryerror|memory exhausted|\bENOMEM\b/i,
    note: (memoryBytes) =>
      `it seems to have met the limit of ${mebibytes(memoryBytes)} of memory; give it less to do at once`
  },
  {
    of: "openFiles",
    said: /too many open files|\bEMFILE\b/i,
    note: (openFiles) =>
      `it seems to have met the limit of ${openFiles} open files; have it open fewer at once`
  },
  {
    of: "tmpBytes",
    said: /no space left on device|\bENOSPC\b/i,
    note: (tmpBytes) =>
      `it seems to have met the limit of ${mebibytes(tmpBytes)} in its /tmp; have it write elsewhere, or less`
  },
  {
    of: "fileBytes",
    said: /file too large|file size limit exceeded|\bEFBIG\b/i,
    note: (fileBytes) => `it met the limit of ${mebibytes(fileBytes)} for one file; have it write less`
  }
]

/** 128 and SIGXFSZ: only writing too much ends a child so. */
const WROTE_TOO_MUCH = 128 + 25

/** What a group of processes counted, where there is one. */
interface Met {
  readonly memory: boolean
  readonly processes: boolean
}

/** Only of limits that were set. */
export const limitNotes = (
  { exitCode }: Ended,
  said: string,
  limits: Partial<ChildLimits>,
  met: Met = { memory: false, processes: false }
): ReadonlyArray<string> => {
  const words = exitCode === WROTE_TOO_MUCH ? `${said} EFBIG` : said
  const isMet = ({ of, said }: Sign) =>
    (of === "memoryBytes" && met.memory) ||
    (of === "processes" && met.processes) ||
    (exitCode !== 0 && said.test(words))
  return signs.flatMap((sign) => {
    const limit = limits[sign.of]
    return limit !== undefined && isMet(sign) ? [sign.note(limit)] : []
  })
}

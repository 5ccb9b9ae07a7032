/** Which limit a child met, as far as its end and its last words tell. Programs say it in words that hardly differ. */
import type { ChildLimits } from "../sandbox/ChildLimits.js"
import type { Ended } from "./ended.js"

interface Sign {
  readonly said: RegExp
  readonly note: (limits: ChildLimits) => string
}

const mebibytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1024 / 1024))} MiB`

const signs: ReadonlyArray<Sign> = [
  {
    said: /resource temporarily unavailable|cannot fork|can't fork|\bEAGAIN\b/i,
    note: ({ processes }) =>
      `it seems to have met the limit of ${processes} processes; have it start fewer at once`
  },
  {
    said: /cannot allocate memory|out of memory|bad_alloc|memoryerror|memory exhausted|\bENOMEM\b/i,
    note: ({ memoryBytes }) =>
      `it seems to have met the limit of ${mebibytes(memoryBytes)} of memory; give it less to do at once`
  },
  {
    said: /too many open files|\bEMFILE\b/i,
    note: ({ openFiles }) =>
      `it seems to have met the limit of ${openFiles} open files; have it open fewer at once`
  },
  {
    said: /no space left on device|\bENOSPC\b/i,
    note: ({ tmpBytes }) =>
      `it seems to have met the limit of ${mebibytes(tmpBytes)} in its /tmp; have it write elsewhere, or less`
  },
  {
    said: /file too large|file size limit exceeded|\bEFBIG\b/i,
    note: ({ fileBytes }) => `it met the limit of ${mebibytes(fileBytes)} for one file; have it write less`
  }
]

/** 128 and SIGXFSZ: only writing too much ends a child so. */
const WROTE_TOO_MUCH = 128 + 25

export const limitNotes = ({ exitCode }: Ended, said: string, limits: ChildLimits): ReadonlyArray<string> => {
  if (exitCode === 0) return []
  const words = exitCode === WROTE_TOO_MUCH ? `${said} EFBIG` : said
  return signs.filter((sign) => sign.said.test(words)).map(({ note }) => note(limits))
}

/**
 * How a line stands in its chain. Each writer has a chain of its own, and is named by chance: a line has the writer, its
 * number, and a digest with the key over the digest before it and all of the line that comes before its own. A writer says
 * which lines of others it found, so that their removal shows, too.
 */

/** Which line of which writer. */
export interface Place {
  readonly by: string
  readonly n: number
}

/** What a line says besides its number, where there is something to say. */
export interface Said {
  /** In the first line of a writer in a file: the file's name, how long the file was, and the file before it. */
  readonly opens?: {
    readonly file: string
    readonly from: number
    readonly former?: string | undefined
    readonly prev?: string | undefined
  }
  /** Lines of others that were found in the same file, */
  readonly after?: ReadonlyArray<Place>
  /** and in files before it. */
  readonly before?: ReadonlyArray<Place>
  /** The digest of what somebody began to write and did not end. */
  readonly torn?: string | undefined
}

export interface Link extends Place, Said {
  readonly mac: string
}

const places = (key: string, all: ReadonlyArray<Place> = []): string =>
  all.length === 0 ? "" : `,"${key}":[${all.map(({ by, n }) => `"${by}:${n}"`).join(",")}]`

const OPENING = ',"chain":{'

/** The end of a line but for its digest; the object of the entry is still open before it. */
export const beginning = ({ by, n }: Place, { after, before, opens, torn }: Said): string => {
  const prev = opens?.prev === undefined ? "" : `,"prev":"${opens.prev}"`
  const former = opens?.former === undefined ? "" : `,"former":"${opens.former}"`
  const file = opens === undefined ? "" : `,"file":"${opens.file}","from":${opens.from}${former}${prev}`
  const also = `${file}${places("after", after)}${places("before", before)}${torn === undefined ? "" : `,"torn":"${torn}"`}`
  return `${OPENING}"by":"${by}","n":${n}${also},"mac":"`
}

export const ending = (mac: string): string => `${mac}"}}`

const BY = "[\\w-]{12}"
const MAC_LENGTH = 43
const MAC = `[\\w-]{${MAC_LENGTH}}`
const COUNT = "\\d{1,15}"
const PLACES = `\\[((?:"${BY}:${COUNT}",?)+)\\]`

const WRITTEN = new RegExp(
  `^,"chain":\\{"by":"(${BY})","n":(${COUNT})` +
    `(?:,"file":"([^"]{1,99})","from":(${COUNT})(?:,"former":"([^"]{1,99})")?(?:,"prev":"(${MAC})")?)?` +
    `(?:,"after":${PLACES})?(?:,"before":${PLACES})?(?:,"torn":"(${MAC})")?` +
    `,"mac":"(${MAC})"\\}\\}$`
)

const placesIn = (text: string | undefined): ReadonlyArray<Place> =>
  (text ?? "").split(",").flatMap((one) => {
    const [by = "", n = ""] = one.slice(1, -1).split(":")
    return by === "" ? [] : [{ by, n: Number(n) }]
  })

/**
 * As it is written, to the letter; `undefined` for a line that has none. Nothing in a text looks like one, for quotes in it
 * are escaped.
 */
export const linkIn = (line: string): Link | undefined => {
  const start = line.lastIndexOf(OPENING)
  const found = start < 0 ? null : WRITTEN.exec(line.slice(start))
  if (found === null) return undefined
  const [, by = "", n = "", file, from = "", former, prev, after, before, torn, mac = ""] = found
  return {
    by,
    n: Number(n),
    ...(file === undefined ? {} : { opens: { file, from: Number(from), former, prev } }),
    after: placesIn(after),
    before: placesIn(before),
    torn,
    mac
  }
}

/** How many bytes at the end of a line are not in its digest: the digest itself, and what closes the line. */
export const UNSIGNED = ending("").length + MAC_LENGTH

/** Standard output, which may be a file on a full disk. Without imports: help is written by it, too. */

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "there is no space left where it goes"],
  ["EDQUOT", "your share of the disk is used up"],
  ["EFBIG", "the file may not become that large"],
  ["EIO", "the device fails"]
])

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

let isLeft = false

/** Whether somebody still reads, as far as was seen when something was written. */
export const hasReader = (): boolean => !isLeft

/** Why what was written did not arrive; nothing where it did, or where the reader has left. */
const failureOf = (error: unknown): string | undefined => {
  if (error === null || error === undefined) return undefined
  const code = codeOf(error)
  if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || code === "ECONNRESET") {
    isLeft = true
    return undefined
  }
  return `standard output could not be written: ${reasons.get(code) ?? `it cannot be used (${code})`}`
}

type Writing = (text: string, done: (error?: Error | null) => void) => boolean

let reserved: Writing | undefined

/** From now on standard output is for what is written here: what code of others prints goes to standard error. */
export const reserve = (): void => {
  if (reserved !== undefined) return
  const { stderr, stdout } = process
  reserved = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  // Who ends it would end it for the program: what is said last is said, and the stream stays.
  stdout.end = (...last: ReadonlyArray<unknown>) => {
    const [given] = last
    if (typeof given === "string" || given instanceof Uint8Array) stderr.write(given)
    const done = last.find((one) => typeof one === "function")
    if (typeof done === "function") queueMicrotask(() => done())
    return stdout
  }
  stdout.destroy = () => stdout
  // The console of Bun writes past the stream.
  if ("bun" in process.versions) {
    const { error } = console
    Object.assign(console, { log: error, info: error, debug: error, dir: error, table: error, group: error })
  }
}

/** Writes to standard output, whoever has reserved it, and says what went wrong as a stream does. */
export const writeOut = (text: string, done: (error?: Error | null) => void): boolean => {
  // Whatever the callback hears is an event as well, which ends the program where nobody listens.
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", () => {})
  return reserved === undefined ? process.stdout.write(text, done) : reserved(text, done)
}

/** Settles when the text is out, with one sentence if it is not. */
export const write = (text: string): Promise<string | undefined> =>
  new Promise((done) => {
    writeOut(text, (error) => done(failureOf(error)))
  })

/** The Bot API, as far as updates and files go: the shapes are those of its documentation. */
import { Effect, type Scope } from "effect"
import { type Asked, inPieces, type Served, served } from "./Served.js"

export const TOKEN = "123456789:AAFakeTokenForTests_abcdefghijklmno"

export interface TelegramFile {
  readonly path?: string
  readonly body: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** Where the download redirects to. */
  readonly location?: string
  readonly isStuck?: boolean
}

export interface TelegramStub extends Served {
  readonly files: Map<string, TelegramFile>
  /** What `getUpdates` gives, of what is not confirmed; an answer in place of updates is given once. */
  readonly updates: Array<{ readonly update_id: number }>
  readonly failures: Array<{ readonly status: number; readonly body: unknown }>
  /** Called with the offset of each `getUpdates`. */
  onPoll: (offset: number | undefined) => void
}

export const telegramStub: Effect.Effect<TelegramStub, never, Scope.Scope> = Effect.gen(function* () {
  const files = new Map<string, TelegramFile>()
  const updates: Array<{ readonly update_id: number }> = []
  const failures: TelegramStub["failures"] = []
  const waiting = new Set<() => void>()
  const made: { onPoll: TelegramStub["onPoll"] } = { onPoll: () => {} }
  const server = yield* served(({ url }: Asked, response): unknown => {
    const { pathname, searchParams } = new URL(url, "http://stub")
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (pathname === `/bot${TOKEN}/getUpdates`) {
      const given = searchParams.get("offset")
      const offset = given === null ? undefined : Number(given)
      made.onPoll(offset)
      const failure = failures.shift()
      if (failure !== undefined) return json(failure.status, failure.body)
      while (updates[0] !== undefined && offset !== undefined && updates[0].update_id < offset)
        updates.shift()
      const give = () => json(200, { ok: true, result: updates.slice(0, Number(searchParams.get("limit"))) })
      if (updates.length > 0 || searchParams.get("timeout") === "0") return give()
      // Held, as the API holds it, until the other side goes.
      waiting.add(give)
      return response.once("close", () => waiting.delete(give))
    }
    if (pathname === `/bot${TOKEN}/getFile`) {
      const id = searchParams.get("file_id") ?? ""
      const file = files.get(id)
      return file === undefined
        ? json(400, { ok: false, error_code: 400, description: "Bad Request: invalid file_id" })
        : json(200, {
            ok: true,
            result: {
              file_id: id,
              file_unique_id: `u${id}`,
              file_size: file.body.length,
              file_path: file.path ?? `files/${id}`
            }
          })
    }
    const [, id = ""] = new RegExp(`^/file/bot${TOKEN}/files/(.+)$`).exec(pathname) ?? []
    const file = files.get(id)
    if (file === undefined) return json(404, { ok: false, error_code: 404, description: "Not Found" })
    if (file.location !== undefined) return response.writeHead(302, { location: file.location }).end()
    response.writeHead(200, { "content-type": "application/octet-stream", ...file.headers })
    // Half of it, and then nothing more.
    if (file.isStuck === true) return response.write(file.body)
    return inPieces(response, file.body)
  })
  return Object.assign(made, { ...server, files, updates, failures })
})

/** A private message, with what it brings. */
const updateWith = <A extends object>(id: number, brought: A) => ({
  update_id: id,
  message: {
    message_id: 1000 + id,
    from: { id: 42, is_bot: false, first_name: "Ada" },
    chat: { id: 42, first_name: "Ada", type: "private" },
    date: 1_760_000_000,
    ...brought
  }
})

/** With a photo, in the sizes that Telegram makes. */
export const photoUpdate = (id: number, fileId: string, caption?: string) =>
  updateWith(id, {
    photo: [
      { file_id: `${fileId}-small`, file_unique_id: "s", file_size: 100, width: 90, height: 67 },
      { file_id: fileId, file_unique_id: "l", file_size: 1000, width: 1280, height: 960 }
    ],
    ...(caption === undefined ? {} : { caption })
  })

export const textUpdate = (id: number, text: string) => updateWith(id, { text })

export const documentUpdate = (
  id: number,
  document: {
    readonly file_id: string
    readonly file_name?: string
    readonly mime_type?: string
    readonly file_size?: number
  }
) => updateWith(id, { document: { file_unique_id: "d", ...document }, caption: "see the file" })

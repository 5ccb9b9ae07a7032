/** Where Slack and Discord keep files: each at a path, for who bears the token, if it asks for one. */
import { Effect, type Scope } from "effect"
import { inPieces, type Served, served } from "./Served.js"

export interface StoredFile {
  readonly body: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  readonly location?: string
}

export interface FilesStub extends Served {
  readonly files: Map<string, StoredFile>
}

export const filesStub = (token?: string): Effect.Effect<FilesStub, never, Scope.Scope> =>
  Effect.gen(function* () {
    const files = new Map<string, StoredFile>()
    const server = yield* served(({ headers, url }, response) => {
      const file = files.get(new URL(url, "http://stub").pathname)
      if (token !== undefined && headers.authorization !== `Bearer ${token}`) {
        // As Slack does it: a page to sign in, with a status that says all is well.
        response.writeHead(200, { "content-type": "text/html" }).end("<!DOCTYPE html><html>Sign in</html>")
      } else if (file === undefined) response.writeHead(404).end()
      else if (file.location !== undefined) response.writeHead(302, { location: file.location }).end()
      else {
        response.writeHead(200, { "content-type": "application/octet-stream", ...file.headers })
        inPieces(response, file.body)
      }
    })
    return { ...server, files }
  })

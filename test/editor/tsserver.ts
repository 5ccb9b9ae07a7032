/**
 * A client of tsserver, as an editor is one: requests as lines of JSON on its input, responses behind a
 * `Content-Length` header on its output.
 */
import { spawn } from "node:child_process"
import { commandOf } from "../../scripts/lib/project.js"

/** Lines and columns count from one. */
export interface Location {
  readonly line: number
  readonly offset: number
}

export interface Diagnostic {
  readonly start: Location
  readonly end: Location
  readonly text: string
}

/** The commands we ask, with what they take and what they answer. */
interface Commands {
  readonly status: [{}, { readonly version: string }]
  readonly semanticDiagnosticsSync: [{ readonly file: string }, ReadonlyArray<Diagnostic>]
  readonly quickinfo: [Location & { readonly file: string }, { readonly displayString: string }]
  readonly completionInfo: [
    Location & { readonly file: string },
    { readonly entries: ReadonlyArray<{ readonly name: string }> }
  ]
}

export interface Tsserver {
  readonly open: (file: string) => void
  readonly ask: <C extends keyof Commands>(command: C, args: Commands[C][0]) => Promise<Commands[C][1]>
  readonly stop: () => Promise<void>
}

interface Message {
  readonly type: string
  readonly request_seq?: number
  readonly success?: boolean
  readonly message?: string
  readonly body?: unknown
}

interface Asked {
  readonly resolve: (body: never) => void
  readonly reject: (error: Error) => void
}

/** Calls back with each message in a stream of bytes. */
const messagesOf = (use: (message: Message) => void) => {
  let buffer = Buffer.alloc(0)
  return (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const header = buffer.indexOf("\r\n\r\n")
      if (header === -1) return
      const length = Number(/Content-Length: (\d+)/.exec(buffer.toString("utf8", 0, header))?.[1])
      const end = header + 4 + length
      if (buffer.length < end) return
      const text = buffer.toString("utf8", header + 4, end)
      buffer = buffer.subarray(end)
      use(JSON.parse(text))
    }
  }
}

/** Starts the tsserver of an installed compiler. */
export const start = (compiler: string): Tsserver => {
  const child = spawn(process.execPath, [
    commandOf(compiler, "tsserver"),
    "--disableAutomaticTypingAcquisition",
    "--suppressDiagnosticEvents",
    ...["--locale", "en"]
  ])
  const asked = new Map<number, Asked>()
  let complaints = ""
  let sequence = 0

  const failure = (words: string) =>
    new Error(`tsserver of ${compiler} ${words}; on stderr: ${complaints.trim() || "nothing"}`)
  const ended = new Promise<void>((resolve) => {
    const end = (words: string) => {
      for (const { reject } of asked.values()) reject(failure(words))
      resolve()
    }
    child.once("error", (error) => end(`did not start: ${error.message}`))
    child.once("close", (code, signal) => end(`ended with ${signal ?? code} before it answered`))
  })

  child.stderr.on("data", (chunk: Buffer) => {
    complaints += chunk.toString()
  })
  // A server that is gone cannot read; that it is gone, `close` says.
  child.stdin.on("error", () => {})
  child.stdout.on(
    "data",
    messagesOf(({ type, request_seq, success, message, body }) => {
      if (type !== "response" || request_seq === undefined) return
      const request = asked.get(request_seq)
      if (success === true) request?.resolve(body as never)
      else request?.reject(failure(`refused: ${message}`))
    })
  )

  const send = (command: string, args?: object): number => {
    sequence += 1
    child.stdin.write(`${JSON.stringify({ seq: sequence, type: "request", command, arguments: args })}\n`)
    return sequence
  }

  return {
    open: (file) => {
      send("open", { file })
    },
    ask: async (command, args) => {
      if (child.exitCode !== null || child.signalCode !== null) throw failure("is gone")
      const id = send(command, args)
      try {
        return await new Promise((resolve, reject) => {
          asked.set(id, { resolve, reject })
        })
      } finally {
        asked.delete(id)
      }
    },
    stop: async () => {
      send("exit")
      const timer = setTimeout(() => child.kill("SIGKILL"), 5_000)
      await ended
      clearTimeout(timer)
    }
  }
}

/** `bailiwick mcp serve` as a process of its own, and the official client connected to it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js"
import { Client as EarlierClient } from "mcp-sdk-20250618/client/index.js"
import { StdioClientTransport as EarlierStdio } from "mcp-sdk-20250618/client/stdio.js"
import { StreamableHTTPClientTransport as EarlierHttp } from "mcp-sdk-20250618/client/streamableHttp.js"
import { afterTest } from "../cleanup.js"
import { installedCommand } from "../installed.js"
import type { Folder } from "./workspace.js"

const environment = (folder: Folder) => ({ PATH: process.env.PATH ?? "", HOME: folder.path("home") })

/** A text that grows, and whoever waits for something in it. */
export class Printed {
  text = ""
  private readonly waiting = new Set<() => void>()

  add(chunk: string): void {
    this.text += chunk
    for (const look of [...this.waiting]) look()
  }

  /** Settles with the first match, now or later. */
  match(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = pattern.exec(this.text)
        if (found === null) return
        this.waiting.delete(look)
        resolve(found)
      }
      this.waiting.add(look)
      look()
    })
  }
}

export interface Connected {
  readonly client: Client
  readonly stderr: Printed
  /** Settles when it hears of this. */
  readonly hears: (method: string) => Promise<void>
}

const newest = { Client, Stdio: StdioClientTransport, Http: StreamableHTTPClientTransport }

/** The official clients, each of a version that asks for this revision. What is used of them here is the same. */
export const sdks = {
  "2025-11-25": newest,
  "2025-06-18": { Client: EarlierClient, Stdio: EarlierStdio, Http: EarlierHttp } as unknown as typeof newest
}

export type Revision = keyof typeof sdks

/** What a client answers, said before it says hello; and which client it is. */
export interface Answers {
  readonly revision?: Revision
  readonly capabilities?: ClientCapabilities
  readonly prepare?: (client: Client) => void
}

const connected = async (
  transport: Transport,
  stderr: Printed,
  { capabilities = {}, prepare = () => {}, revision = "2025-11-25" }: Answers = {}
): Promise<Connected> => {
  const client = new sdks[revision].Client({ name: "test", version: "1" }, { capabilities })
  prepare(client)
  const heard = new Printed()
  client.fallbackNotificationHandler = async ({ method }) => heard.add(`${method}\n`)
  await client.connect(transport)
  return {
    client,
    stderr,
    hears: async (method) => void (await heard.match(new RegExp(`^${method}$`, "m")))
  }
}

/** Over standard input and output; the client starts it. */
export const overStdio = async (
  folder: Folder,
  args: ReadonlyArray<string>,
  answers?: Answers
): Promise<Connected & { readonly pid: number }> => {
  const { Stdio } = sdks[answers?.revision ?? "2025-11-25"]
  const transport = new Stdio({
    command: process.execPath,
    args: [await installedCommand(), "mcp", "serve", ...args],
    cwd: folder.root,
    env: environment(folder),
    stderr: "pipe"
  })
  const stderr = new Printed()
  transport.stderr?.on("data", (chunk: Buffer) => stderr.add(String(chunk)))
  afterTest(() => void transport.close())
  const made = await connected(transport, stderr, answers)
  return { ...made, pid: transport.pid ?? 0 }
}

export interface Serving {
  readonly child: ChildProcess
  readonly stderr: Printed
  readonly stdout: Printed
  readonly end: Promise<number | null>
}

/** The command alone. */
export const started = async (folder: Folder, args: ReadonlyArray<string>): Promise<Serving> => {
  const child = spawn(process.execPath, [await installedCommand(), "mcp", "serve", ...args], {
    cwd: folder.root,
    env: environment(folder),
    stdio: ["pipe", "pipe", "pipe"]
  })
  afterTest(() => void child.kill("SIGKILL"))
  const [stdout, stderr] = [new Printed(), new Printed()]
  child.stdout.setEncoding("utf8").on("data", (text: string) => stdout.add(text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr.add(text))
  return { child, stdout, stderr, end: once(child, "close").then(([code]) => code) }
}

export interface Listening extends Serving {
  readonly url: URL
  readonly token: string
  readonly connect: (
    answers?: Answers
  ) => Promise<Connected & { readonly transport: StreamableHTTPClientTransport }>
}

export const overHttp = async (folder: Folder, args: ReadonlyArray<string>): Promise<Listening> => {
  const server = await started(folder, [...args, "--http", "0"])
  const [, token = ""] = await server.stderr.match(/^token: (\S+)$/m)
  const [, address = ""] = await server.stderr.match(/serving (\S+);/)
  const url = new URL(address)
  const connect = async (answers?: Answers) => {
    const { Http } = sdks[answers?.revision ?? "2025-11-25"]
    const transport = new Http(url, {
      requestInit: { headers: { authorization: `Bearer ${token}` } }
    })
    afterTest(() => void transport.close())
    const made = await connected(transport as Transport, server.stderr, answers)
    return { ...made, transport }
  }
  return { ...server, url, token, connect }
}

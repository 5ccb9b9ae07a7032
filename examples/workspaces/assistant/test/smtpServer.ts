/** A mail server on loopback that keeps what it is given. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { Effect } from "effect"

export interface Received {
  readonly from: string
  readonly to: string
  readonly data: string
}

const serve = (socket: Socket, refuses: string | undefined, received: Array<Received>): void => {
  let [from, to] = ["", ""]
  let data: Array<string> | undefined
  const say = (line: string) => socket.write(`${line}\r\n`)
  const hear = (line: string): void => {
    if (data !== undefined) {
      if (line !== ".") data.push(line)
      else {
        received.push({ from, to, data: data.join("\n") })
        data = undefined
        say("250 kept")
      }
      return
    }
    const [, command = "", rest = ""] = /^(EHLO|MAIL FROM:|RCPT TO:|DATA|QUIT) ?(.*)$/.exec(line) ?? []
    if (command === "EHLO") say("250-here\r\n250 8BITMIME")
    else if (command === "DATA") {
      data = []
      say("354 go on")
    } else if (command === "QUIT") say("221 bye")
    else if (command === "RCPT TO:" && rest === `<${refuses}>`) say("550 no such mailbox")
    else if (command === "") say("500 what?")
    else {
      if (command === "MAIL FROM:") from = rest
      else to = rest
      say("250 ok")
    }
  }
  socket.on("error", () => {})
  createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY }).on("line", hear)
  say("220 here")
}

export const smtpServer = ({ refuses }: { readonly refuses?: string } = {}) =>
  Effect.acquireRelease(
    Effect.async<{
      readonly server: Server
      readonly port: number
      readonly received: ReadonlyArray<Received>
    }>((resume) => {
      const received: Array<Received> = []
      const server = createServer((socket) => serve(socket, refuses, received))
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({ server, received, port: (server.address() as AddressInfo).port }))
      )
    }),
    ({ server }) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  )

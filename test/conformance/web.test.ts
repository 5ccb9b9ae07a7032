/** Threat: a method or a host that no grant names. The server is on loopback, and named as private in the workspace. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { quoted, verdict, World } from "./world.js"

const heard: Array<string> = []
const server = createServer((request, response) => {
  heard.push(`${request.method} ${request.url}`)
  if (request.url === "/moved") response.writeHead(302, { location: "/there" })
  response.end(`hello ${request.method}`)
})

beforeAll(() => new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready)))
afterAll(() => new Promise<void>((done) => void server.close(() => done())))

const port = () => (server.address() as AddressInfo).port

const world = () => new World({ "bailiwick.yaml": `sandbox: off\nprivate_hosts: ["127.0.0.1:${port()}"]\n` })

const url = (path = "/") => `http://127.0.0.1:${port()}${path}`

const LOCAL = "{hosts=[127.0.0.1]}"

describe("a request of an agent", () => {
  it.each([
    ["J1", "net.get", undefined, "GET"],
    ["J2", "net.post", "POST", "POST"],
    ["J2", "net.put", "PUT", "PUT"],
    ["J2", "net.delete", "DELETE", "DELETE"],
    ["J5", "net.post", "post", "POST"]
  ])("%s: %s allows the method %s", async (_row, grant, method, sent) => {
    const args = { url: url(), ...(method === undefined ? {} : { method }) }
    const answer = await world().ask(quoted(`${grant}${LOCAL}`), "web_fetch", args)
    expect(answer).toMatchObject({ ok: true, value: { status: 200, content: `hello ${sent}` } })
  })

  it("J17: a verb that is not held is absent, also for a host that another verb reaches", async () => {
    heard.length = 0
    const args = { url: url(), method: "POST" }
    const answer = await world().ask(quoted(`net.get${LOCAL}`), "web_fetch", args)
    expect(answer.denial).toMatchObject({ reason: "capability_absent", capability: "network.post" })
    expect(heard).toEqual([])
  })

  it("D4: net.get alone reaches no host", async () => {
    heard.length = 0
    expect(verdict(await world().ask(quoted("net.get"), "web_fetch", { url: url() }))).toBe("scope_violation")
    expect(heard).toEqual([])
  })

  it("J13: on purpose, user info in a URL is refused, and ports are not compared with hosts", async () => {
    const named = `http://u@127.0.0.1:${port()}/`
    const answer = await world().ask(quoted(`net.get${LOCAL}`), "web_fetch", { url: named })
    expect(answer.error).toMatch(/^URL_INVALID: /)
  })

  it("D5: any host is not any private address: that the workspace has to name", async () => {
    heard.length = 0
    const any = quoted("net.get{hosts=[*]}")
    expect(verdict(await new World().ask(any, "web_fetch", { url: url() }))).toBe("capability_absent")
    expect(heard).toEqual([])
    expect(verdict(await world().ask(any, "web_fetch", { url: url("/moved") }))).toBe("allowed")
    expect(heard).toEqual(["GET /moved", "GET /there"])
  })
})

/** The personal assistant on the command line: notes as records, a calendar and a mailer on loopback. */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Exit, Scope } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { layerAt } from "../../examples/workspaces/assistant/services/smtp.ts"
import { type Received, smtpServer } from "../../examples/workspaces/assistant/test/smtpServer.ts"
import { afterTest } from "../cleanup.js"
import { followRemedies, runEveryCommand, type Team, TeamSpace, words } from "./everyCommand.js"

const FEED = "/k3pt-h1dden/day.ics"

const CALENDAR = "BEGIN:VEVENT\r\nDTSTART:20260301T140000Z\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\n"

/** Gives the port. */
const calendar = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer(({ url }, response) => {
      response.statusCode = url === FEED ? 200 : 404
      response.end(url === FEED ? CALENDAR : "")
    })
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
    afterTest(() => {
      server.closeAllConnections()
      server.close()
    })
  })

const scopes: Array<Scope.CloseableScope> = []

afterEach(async () => {
  for (const scope of scopes.splice(0)) await Effect.runPromise(Scope.close(scope, Exit.void))
})

interface Desk {
  readonly space: TeamSpace
  readonly received: ReadonlyArray<Received>
}

const assistant = async (): Promise<Desk> => {
  const scope = await Effect.runPromise(Scope.make())
  scopes.push(scope)
  const { port: smtp, received } = await Effect.runPromise(Scope.extend(smtpServer(), scope))
  const port = await calendar()
  const feed = `http://127.0.0.1:${port}${FEED}`
  const space = new TeamSpace("assistant", { CALENDAR_FEED: feed })
  space.write(
    "bailiwick.yaml",
    readFileSync(space.path("bailiwick.yaml"), "utf8").replace("8400", String(port))
  )
  const layer = layerAt({ host: "127.0.0.1", port: smtp, sender: "me@example.com" })
  space.instead["services/smtp.ts"] = () => Promise.resolve({ layer })
  return { space, received }
}

const mailing = { name: "mail_note", args: { note: "notes/groceries", to: "contacts/ada" } }

const team: Team = {
  name: "assistant",
  agent: "assistant",
  personality: "assistant",
  calls: [
    { name: "agenda", args: { day: "2026-03-01" } },
    mailing,
    { name: "search_records", args: { query: "coffee" } },
    { name: "get_record", args: { id: "notes/groceries" } }
  ],
  skill: "morning-briefing",
  held: "secrets.read{refs=[calendar/feed]}",
  wanted: "records.update{classes=[note]}"
}

describe("the assistant", () => {
  it("does not trip over any command", async () => {
    const { received, space } = await assistant()
    const seen = await runEveryCommand(space, team)
    expect(received.map(({ to }) => to)).toEqual(["<ada@example.com>"])
    for (const { command, stdout } of seen) expect(stdout, command).not.toContain("k3pt-h1dden")
  })

  it("writes a note, and finds it", async () => {
    const { space } = await assistant()
    const jotted = await space.bailiwick([
      ...["call", "jot_note", "title=Coffee, the good one", "text=From the corner.", "tags=shopping"],
      ...["--agent", "assistant"]
    ])
    expect(jotted).toEqual({ code: 0, stdout: "id: notes/coffee-the-good-one\n", stderr: "" })
    expect(readFileSync(space.path("records/notes/coffee-the-good-one.md"), "utf8")).toContain("class: note")
    const found = await space.bailiwick(["call", "search_records", "query=corner", "--agent", "librarian"])
    expect(found.stdout).toContain("notes/coffee-the-good-one")
  })

  it("under the quiet personality may do what both allow: no mail leaves", async () => {
    const { received, space } = await assistant()
    const who = ["--agent", "assistant", "--personality", "quiet"]
    const refused = await space.bailiwick(["call", ...words(mailing), ...who])
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toContain("mail_note is not permitted for this personality")
    const jotted = await space.bailiwick(["call", "jot_note", "title=Night", "text=Quiet.", ...who])
    expect(jotted).toMatchObject({ code: 0, stderr: "" })
    expect(received).toEqual([])
  })

  it("has a librarian who writes notes after doing what a refusal advises", async () => {
    const { space } = await assistant()
    const jotting = { name: "jot_note", args: { title: "Read this", text: "Twice." } }
    expect(await followRemedies(space, "librarian", jotting)).toBe(1)
  })
})

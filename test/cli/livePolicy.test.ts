/** The policy of a server while its files are edited. Threat: what is revoked in the midst of a reading is never seen. */
import { Either } from "effect"
import { expect, it } from "vitest"
import type { McpServeCommand } from "../../src/cli/Arguments.js"
import { LivePolicy } from "../../src/cli/commands/mcp/LivePolicy.js"
import type { Surroundings } from "../../src/cli/Surroundings.js"
import { authorityOf } from "../../src/cli/workspace/Acting.js"
import { settingOf } from "../../src/cli/workspace/Setting.js"
import { Folder } from "./workspace.js"

const agent = (grants: string) => `---\nclass: agent\ncapabilities: [${grants}]\n---\nYou help.\n`

const RECORD = "records/agents/scout.md"

const space = () => new Folder({ "bailiwick.yaml": "", [RECORD]: agent("records.read") })

const serving: McpServeCommand = {
  command: "mcp serve",
  agent: "scout",
  personality: undefined,
  workdir: undefined,
  session: undefined,
  http: undefined,
  json: false
}

const firstOf = (command: McpServeCommand, around: Surroundings) => {
  const setting = settingOf(command, around)
  return { setting, authority: authorityOf(command, setting) }
}

const heldIn = (live: LivePolicy) =>
  Either.match(live.current(), {
    onLeft: ({ message }) => message,
    onRight: ({ authority }) => authority.agent?.held.map(({ grant }) => grant.name)
  })

const within = async (folder: Folder, test: (around: Surroundings) => void) => {
  await folder.bailiwick([], {
    perform: async (_, around) => {
      test(around)
      return 0
    }
  })
}

it("what was edited between the first reading and the start holds", async () => {
  const folder = space()
  await within(folder, (around) => {
    const first = firstOf(serving, around)
    folder.write(RECORD, agent(""))
    const live = new LivePolicy(serving, around, first, [])
    expect(heldIn(live)).toEqual([])
  })
})

it("what is edited while it is read holds from the next request on", async () => {
  const folder = space()
  await within(folder, (around) => {
    let asked = 0
    let last = Number.POSITIVE_INFINITY
    // It is asked for once more when the files have been read.
    const command: McpServeCommand = {
      ...serving,
      get personality() {
        if (++asked === last) folder.write(RECORD, agent(""))
        return undefined
      }
    }
    const live = new LivePolicy(command, around, firstOf(command, around), [])
    expect(heldIn(live)).toEqual(["records.read"])
    asked = 0
    folder.write(RECORD, agent("records.read, storage.use"))
    expect(heldIn(live)).toEqual(["records.read", "storage.use"])
    ;[last, asked] = [asked, 0]
    folder.write(RECORD, agent("records.read, storage.use, attachments.read"))
    expect(heldIn(live)).toContain("attachments.read")
    expect(heldIn(live)).toEqual([])
  })
})

it("one that nobody edits is read once, and is the same for every request", async () => {
  const folder = space()
  await within(folder, (around) => {
    const live = new LivePolicy(serving, around, firstOf(serving, around), [])
    expect(live.current()).toBe(live.current())
  })
})

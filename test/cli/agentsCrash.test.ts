/** A grant that is ended in the middle, without a chance to clean up, leaves the record whole: as it was, or as it is to be. */

import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import { times } from "../deep.js"
import { programOf } from "../program.js"
import { Folder } from "./workspace.js"

const SCOUT = "records/agents/scout.md"

/** Larger than what a disk writes at once. */
const BODY = `${"A line of the body.\n".repeat(20_000)}The end.\n`

const spec = "net.get{hosts=[a.example.com,b.example.com]}"

const started = async (folder: Folder) => {
  const program = await programOf(join(import.meta.dirname, "restless.ts"))
  const child = spawn(process.execPath, [program, folder.root, spec], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "close")
  const [said] = await Promise.race([once(child.stdout, "data"), ended])
  expect(String(said)).toBe("warm\n")
  return { child, ended }
}

const expectWhole = (folder: Folder): void => {
  const text = readFileSync(folder.path(SCOUT), "utf8")
  const record = AgentRecord.parse({ file: SCOUT, text }, {})
  expect(record.warnings).toEqual([])
  expect(record.body === BODY).toBe(true)
  const held = record.held.map(({ grant }) => grant.name)
  expect([["records.read"], ["records.read", "net.get"]]).toContainEqual(held)
}

it("kill -9 in the middle of grants and revokes never leaves half a record", async () => {
  const folder = new Folder({
    "bailiwick.yaml": "",
    [SCOUT]: `---\nclass: agent\ncapabilities:\n  - records.read\n---\n${BODY}`
  })
  for (let round = 0; round < times(1); round++) {
    const { child, ended } = await started(folder)
    // Somebody who looks while it is written sees a whole record, too.
    const looks = 20 + round * 7
    for (let look = 0; look < looks; look++) {
      expectWhole(folder)
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    child.kill("SIGKILL")
    await ended
    expectWhole(folder)
  }
  expect((await folder.bailiwick(["agents", "capabilities", "scout"])).code).toBe(0)
})

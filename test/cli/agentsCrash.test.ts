/** A grant that is ended in the middle, without a chance to clean up, leaves the record whole: as it was, or as it is to be. */

import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import { times } from "../deep.js"
import { Folder } from "./workspace.js"

const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href

const SCOUT = "records/agents/scout.md"

/** Larger than what a disk writes at once. */
const BODY = `${"A line of the body.\n".repeat(20_000)}The end.\n`

const spec = "net.get{hosts=[a.example.com,b.example.com]}"

/** Grants and revokes for as long as it is let. */
const program = (cwd: string) => `
import { run } from ${JSON.stringify(pathToFileURL(join(root, "src/cli/run.ts")).href)}
const around = {
  env: {}, cwd: ${JSON.stringify(cwd)}, home: undefined, stdin: async () => "",
  stdout: { isTTY: false, columns: undefined },
  stderr: { isTTY: false, columns: undefined, write: () => {} },
  print: async () => {}, complain: (text) => console.log(text), tty: undefined, signal: new AbortController().signal
}
for (let turn = 0; ; turn++) {
  const code = await run(["agents", turn % 2 === 0 ? "grant" : "revoke", "scout", ${JSON.stringify(spec)}, "--yes"], around)
  if (code !== 0) process.exit(code)
  if (turn === 1) console.log("warm")
}
`

const started = async (folder: Folder) => {
  const args = ["--import", loader, "--input-type=module", "-e", program(folder.root)]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
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

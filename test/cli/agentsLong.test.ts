/** A record that takes long: whoever has had enough of it is heard, and finds the record as it was. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import { expect, it } from "vitest"
import { deep } from "../deep.js"
import { installedCommand } from "../installed.js"
import { folderOf, text } from "./scout.js"

/** How long a process has worked, in hundredths of a second; what it starts with is less than one second. */
const worked = (pid: number | undefined): number => {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")
  return Number(fields.split(" ")[11])
}

it.skipIf(process.platform !== "linux").each(["revoke", "grant"])(
  "SIGINT ends agents %s in the midst of it",
  async (command) => {
    const hosts = Array.from({ length: 100_000 }, (_, i) => `h${i}.example.com`)
    const folder = folderOf(
      `capabilities:\n${hosts.map((host) => `  - net.get: { hosts: [${host}] }`).join("\n")}`
    )
    const before = text(folder)
    const program = await installedCommand()
    const args = [program, "agents", command, "scout", "net.get{hosts=[h7.example.com,new.example.com]}"]
    const child = spawn(process.execPath, [...args, ...(command === "grant" ? ["--yes"] : [])], {
      cwd: folder.root,
      env: { PATH: process.env.PATH, HOME: folder.path("home") },
      stdio: "ignore"
    })
    const ended = once(child, "close")
    try {
      while (child.exitCode === null && worked(child.pid) < 50) await setImmediate()
      child.kill("SIGINT")
      expect(await ended).toEqual([null, "SIGINT"])
      expect(text(folder)).toBe(before)
    } finally {
      child.kill("SIGKILL")
    }
  }
)

it.runIf(deep)("agents revoke takes one host from 100,000 grants", async () => {
  const hosts = Array.from({ length: 100_000 }, (_, i) => `h${i}.example.com`)
  const folder = folderOf(
    `capabilities:\n${hosts.map((host) => `  - net.get: { hosts: [${host}] }`).join("\n")}`
  )
  const before = text(folder)
  const program = await installedCommand()
  const child = spawn(
    process.execPath,
    [program, "agents", "revoke", "scout", "net.get{hosts=[h7.example.com]}"],
    {
      cwd: folder.root,
      env: { PATH: process.env.PATH, HOME: folder.path("home") },
      stdio: "ignore"
    }
  )
  expect(await once(child, "close")).toEqual([0, null])
  expect(text(folder)).toBe(before.replace("  - net.get: { hosts: [h7.example.com] }\n", ""))
})

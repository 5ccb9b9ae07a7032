/** The threat: whoever can write the log changes it afterwards. `audit verify` says whether and where. */
import { execFile } from "node:child_process"
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { root } from "../../scripts/lib/project.js"
import type { AuditEntry } from "../../src/audit/AuditEntry.js"
import { AuditSink } from "../../src/audit/AuditSink.js"
import * as Audit from "../../src/layers/node/audit/Audit.js"
import { layerEnvironment } from "../../src/layers/node/secrets/NodeSecrets.js"
import { programOf } from "../program.js"
import { call, decision, logged, refusal, someWork } from "./auditLog.js"
import { Folder } from "./workspace.js"

const env = { AUDIT_KEY: "a long and random value" }

const CHAINED = "audit: { chain: AUDIT_KEY }\n"

/** As a program writes them. */
const kept = (
  folder: Folder,
  entries: ReadonlyArray<AuditEntry>,
  options: { readonly fileBytes?: number } = {}
): Promise<void> =>
  Effect.flatMap(AuditSink, (sink) => sink.append(entries)).pipe(
    Effect.provide(
      Audit.layer({ directory: folder.path(".bailiwick/audit"), chain: "AUDIT_KEY", ...options }).pipe(
        Layer.provide(layerEnvironment({ environment: env }))
      )
    ),
    Effect.runPromise
  )

const chained = async (): Promise<Folder> => {
  const folder = new Folder({ "bailiwick.yaml": CHAINED })
  await kept(folder, [decision(), call(), refusal(), call({ code: "execution_failed" })])
  return folder
}

const verify = (folder: Folder, ...args: ReadonlyArray<string>) =>
  folder.bailiwick(["audit", "verify", ...args], { env })

const headOf = async (folder: Folder): Promise<string> => {
  const { stdout } = await verify(folder, "--json")
  return JSON.parse(stdout).head
}

const fileOf = (folder: Folder): string => {
  const [name = ""] = readdirSync(folder.path(".bailiwick/audit")).filter((one) => one.endsWith(".jsonl"))
  return folder.path(".bailiwick/audit", name)
}

describe("audit verify", () => {
  it("prints the head of a log that is as it was written, and how to keep it", async () => {
    const folder = await chained()
    const { code, stderr, stdout } = await verify(folder)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain("✓ the log is as it was written: 4 lines of 1 program")
    expect(stdout).toMatch(/head [\da-f]{64}/)
    expect(stdout).toContain("bailiwick audit verify --head DIGEST")
    expect(stdout).not.toContain(env.AUDIT_KEY)
    expect(JSON.parse((await verify(folder, "--json")).stdout)).toMatchObject({
      ok: true,
      lines: 4,
      writers: 1,
      head: expect.stringMatching(/^[\da-f]{64}$/)
    })
  })

  it("a head of before holds while the log grows, and not when its end is cut off", async () => {
    const folder = await chained()
    const first = await headOf(folder)
    await kept(folder, [call()])
    expect(await verify(folder, "--head", first)).toMatchObject({ code: 0 })
    expect((await verify(folder, "--head", first.toUpperCase())).stdout).toContain(
      "it goes on from the head that was given"
    )
    const last = await headOf(folder)
    const file = fileOf(folder)
    const lines = readFileSync(file, "utf8").split("\n")
    writeFileSync(file, `${lines.slice(0, 4).join("\n")}\n`)
    expect(await verify(folder)).toMatchObject({ code: 0 })
    const cut = await verify(folder, "--head", last)
    expect(cut).toMatchObject({ code: 1, stderr: "" })
    expect(cut.stdout).toContain("✗ AUDIT_ALTERED: ")
  })

  it.each([
    ["changed", (lines: Array<string>) => lines.with(1, (lines[1] ?? "").replace('"ms":12', '"ms":13')), 2],
    ["removed", (lines: Array<string>) => lines.toSpliced(1, 1), 2],
    ["added", (lines: Array<string>) => lines.toSpliced(2, 0, lines[0] ?? ""), 3]
  ])("a line that was %s is named, by its file and number", async (kind, edit, line) => {
    const folder = await chained()
    const file = fileOf(folder)
    const lines = readFileSync(file, "utf8").split("\n")
    writeFileSync(file, edit(lines).join("\n"))
    const { code, stderr, stdout } = await verify(folder)
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" })
    expect(stdout).toMatch(new RegExp(`✗ AUDIT_ALTERED: \\S+\\.jsonl:${line}: `))
    expect(JSON.parse((await verify(folder, "--json")).stdout)).toMatchObject({
      ok: false,
      code: "AUDIT_ALTERED",
      kind,
      at: expect.stringMatching(new RegExp(`:${line}$`))
    })
  })

  it("a file that is gone from the beginning is missed, unless it was old enough to go", async () => {
    const folder = new Folder({ "bailiwick.yaml": CHAINED })
    for (const id of ["1", "2", "3"]) await kept(folder, [call({ call: id })], { fileBytes: 1 })
    const names = readdirSync(folder.path(".bailiwick/audit")).sort((a, b) => a.length - b.length)
    expect(names).toHaveLength(3)
    expect(await verify(folder)).toMatchObject({ code: 0 })
    rmSync(folder.path(".bailiwick/audit", names[0] ?? ""))
    for (const settings of [CHAINED, "audit: { chain: AUDIT_KEY, keep_days: 30 }\n"]) {
      folder.write("bailiwick.yaml", settings)
      const { code, stdout } = await verify(folder)
      expect(code).toBe(1)
      expect(stdout).toContain(`${names[0]}, which stood before this file, is gone`)
    }
  })

  it("prints what was found and nothing else, whatever there is to say of the key's file", async () => {
    const folder = await chained()
    chmodSync(folder.write(".env", `AUDIT_KEY=${env.AUDIT_KEY}\n`), 0o644)
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [await programOf(join(root, "src/cli/main.ts")), "audit", "verify", "--json"],
      { cwd: folder.root, env: { PATH: process.env.PATH, HOME: folder.path("home") } }
    )
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, lines: 4 })
  })

  it("says that nothing can be said where there is no chain", async () => {
    const plain = await verify(logged(someWork))
    expect(plain).toMatchObject({ code: 1, stderr: "" })
    expect(plain.stdout).toContain("write 'audit: { chain: REF }' in bailiwick.yaml")
    const off = await verify(new Folder({ "bailiwick.yaml": "audit: off\n" }), "--json")
    expect({ ...off, stdout: JSON.parse(off.stdout) }).toEqual({
      code: 1,
      stderr: "",
      stdout: { ok: false, detail: "no log is kept: 'audit: off' stands in bailiwick.yaml" }
    })
  })

  it("a chain that began later says what it does not hold, and a log without lines has a head, too", async () => {
    const folder = logged(someWork)
    folder.write("bailiwick.yaml", CHAINED)
    await kept(folder, [call()])
    expect((await verify(folder)).stdout).toContain("9 lines were there before the chain began")
    const empty = await verify(new Folder({ "bailiwick.yaml": CHAINED }))
    expect(empty).toMatchObject({ code: 0 })
    expect(empty.stdout).toContain("no line in a chain yet")
  })

  it("without the key nothing is said, and the sentence names the secret alone", async () => {
    const folder = await chained()
    const { code, stderr, stdout } = await folder.bailiwick(["audit", "verify"])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(
      /^bailiwick: AUDIT_UNREADABLE: the key 'AUDIT_KEY' of the audit log cannot be read/
    )
    expect(stderr.trim().split("\n")).toHaveLength(1)
    const other = await folder.bailiwick(["audit", "verify"], { env: { AUDIT_KEY: "another" } })
    expect(other).toMatchObject({ code: 1, stderr: "" })
  })
})

it("a log that is turned off says so", async () => {
  const folder = new Folder({ "bailiwick.yaml": "audit: off\n" })
  const { code, stdout } = await folder.bailiwick(["audit"])
  expect(code).toBe(0)
  expect(stdout).toContain("no audit log is kept: 'audit: off' stands in bailiwick.yaml")
  expect(stdout).toContain(folder.path(".bailiwick/audit"))
})

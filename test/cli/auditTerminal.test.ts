/** The log as somebody at a terminal meets it. */
import { appendFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { has } from "../../scripts/lib/system.js"
import { call, LOG, lines, logged, refusal, someWork } from "./auditLog.js"
import { Tmux } from "./tmux.js"
import type { Folder } from "./workspace.js"

const inTerminal = async (
  size: { columns: number; rows: number },
  use: (tmux: Tmux, folder: Folder) => Promise<void>
): Promise<void> => {
  const folder = logged([
    ...someWork,
    refusal({ call: "5", asked: "GET https://evil.example/\u001b[2J\u001b[H\u001b]0;owned\u0007gone" }),
    call({ call: "5", code: "execution_failed" })
  ])
  const tmux = await Tmux.start(folder, size)
  try {
    await use(tmux, folder)
  } finally {
    await tmux.end()
  }
}

describe.runIf(has("tmux"))("in a terminal", () => {
  it.each([
    [120, ["UTC       who     tool         result   took", "by, or why not"]],
    [80, ["UTC       who     tool         result     asked"]],
    [44, ["10:00:02 web_fetch execution_failed", "  ✗ GET https://example.com/"]]
  ])("of %i columns a log is a table that fits, and what it holds moves no cursor", (columns, words) =>
    inTerminal({ columns, rows: 50 }, async (tmux) => {
      await tmux.command("bw audit")
      const screen = await tmux.exits(0)
      expect(screen).toContain("5 calls (2 execution_failed,")
      for (const text of [...words, "HOST_NOT_ALLOWED", "\\u001b[2J"]) expect(screen).toContain(text)
      expect(screen).not.toContain("\u001b")
    })
  )

  it("--follow shows what is new, and Ctrl-C ends it", () =>
    inTerminal({ columns: 80, rows: 40 }, async (tmux, folder) => {
      await tmux.command("bw audit --follow")
      await tmux.sees("waiting for what comes; Ctrl-C ends")
      appendFileSync(folder.path(LOG), lines([refusal({ call: "6", asked: "GET https://new.example/" })]))
      await tmux.sees("✗ GET https://new.example/")
      await tmux.press("C-c")
      await tmux.exits(130)
    }))
})

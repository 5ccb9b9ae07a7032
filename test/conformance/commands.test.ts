/** Threat: a command that starts outside of the root it is held to. */
import { describe, expect, it } from "vitest"
import { quoted, verdict, World } from "./world.js"

const stdoutOf = ({ value }: { readonly value?: Readonly<Record<string, unknown>> }): unknown => value?.stdout

describe("a command of an agent", () => {
  it.each([
    ["run_command", { command: "pwd" }, quoted("proc.exec{in=~/p}")],
    ["run_command", { command: "pwd" }, quoted("proc.exec{in=~/p,cmds=[pwd]}")],
    ["run_command", { command: "pwd" }, "sandbox: ~/p"],
    ["run_shell", { script: "pwd" }, quoted("proc.eval{in=~/p}")]
  ])("I28/I34: %s %j without a directory starts in the root of %s", async (name, args, grant) => {
    const world = new World()
    expect(stdoutOf(await world.ask(grant, name, args))).toBe(`${world.path("home/p")}\n`)
  })

  it("I34: starts in the root in which that command may run, where there are several", async () => {
    const world = new World()
    const grants = quoted("proc.exec{in=~/p,cmds=[ls]}", "proc.exec{in=~/q,cmds=[pwd]}")
    expect(stdoutOf(await world.ask(grants, "run_command", { command: "pwd" }))).toBe(
      `${world.path("home/q")}\n`
    )
    expect(verdict(await world.ask(grants, "run_command", { command: "cat" }))).toBe("scope_violation")
  })

  it("I34: explain says what run does", async () => {
    const world = new World().agent("scout", quoted("proc.exec{in=~/p}", "proc.eval{in=~/q}"))
    const { answers } = await world.send("explain", "scout", [
      ["run_command", { command: "pwd" }],
      ["run_shell", { script: "pwd" }],
      ["run_command", { command: "pwd", cwd: "/etc" }]
    ])
    expect(answers.map(({ result }) => verdict(result))).toEqual(["allowed", "allowed", "scope_violation"])
    expect(JSON.stringify(answers[0])).toContain(`exec pwd in ${world.path("home/p")}`)
    expect(JSON.stringify(answers[1])).toContain(`eval in ${world.path("home/q")}`)
  })

  it("I29: a directory outside of the root is refused", async () => {
    const world = new World()
    const answer = await world.ask(quoted("proc.exec{in=~/p}"), "run_command", {
      command: "pwd",
      cwd: "~/q"
    })
    expect(answer).toMatchObject({ denial: { reason: "scope_violation", code: "CWD_NOT_REACHABLE" } })
  })

  it.each([
    ["run_shell", { script: "" }],
    ["run_shell", { script: " \n" }],
    ["run_shell", {}],
    ["run_command", { command: "" }]
  ])("I25: %s %j is an input error, before anything is asked", async (name, args) => {
    const answer = await new World().ask("capabilities: []", name, args)
    expect(answer).toMatchObject({ ok: false, code: "input_invalid" })
    expect(answer.denial).toBeUndefined()
  })

  it("I30/I33: on purpose, an exit code is an answer, with both streams apart and the long one cut", async () => {
    const script = "echo err >&2; head -c 400000 /dev/zero | tr '\\0' x; exit 42"
    const { value = {} } = await new World().ask(quoted("proc.eval{in=~/p}"), "run_shell", { script })
    expect(value).toMatchObject({ exitCode: 42, stderr: "err\n" })
    expect(String(value.stdout).length).toBeLessThan(120_000)
  })
})

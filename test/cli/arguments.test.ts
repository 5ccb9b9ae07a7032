/** Bad usage is one sentence on standard error, exit code 2, and nothing on standard output. */

import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { parseArguments } from "../../src/cli/Arguments.js"
import { CliError } from "../../src/cli/CliError.js"
import { commandNames } from "../../src/cli/Forms.js"
import { helpFor } from "../../src/cli/Help.js"
import { codePoint } from "../codePoints.js"
import { times } from "../deep.js"
import { Folder } from "./workspace.js"

describe("arguments", () => {
  it("options and words come in any order, with a blank or an equals sign", () => {
    const expected = {
      command: "run",
      calls: "calls.json",
      personality: "p",
      session: "s",
      workdir: undefined,
      attachments: undefined,
      json: true,
      sandbox: false
    }
    expect(parseArguments(["run", "calls.json", "--personality", "p", "--session=s", "--json"])).toEqual(
      expected
    )
    expect(parseArguments(["--json", "--personality=p", "run", "--session", "s", "calls.json"])).toEqual(
      expected
    )
  })

  it("after -- there are only words, and a lone - is one", () => {
    expect(parseArguments(["run", "--personality", "p", "--", "--odd.json"])).toMatchObject({
      calls: "--odd.json"
    })
    expect(parseArguments(["explain", "-", "--personality", "p"])).toMatchObject({
      command: "explain",
      calls: "-"
    })
  })

  it.each([
    [["--json"], "no command is given"],
    [["rnu", "x"], "'rnu' is not a command; did you mean 'run'?"],
    [["launch"], "'launch' is not a command; 'bailiwick --help' lists them"],
    [["tools"], "write 'tools list'"],
    [["tools", "lst"], "did you mean 'tools list'?"],
    [["agnets"], "'agnets' is not a command; did you mean 'agents'?"],
    [["agent", "grant", "scout"], "'agent' is not a command; did you mean 'agents grant'?"],
    [["skill"], "did you mean 'skills'?"],
    [["doctr"], "did you mean 'doctor'?"],
    [["grant", "scout", "records.read"], "did you mean 'agents grant'?"],
    [["who"], "did you mean 'agents who'?"],
    [["list"], "did you mean 'tools list' or 'agents list' or 'skills list'?"],
    [["help", "agnets"], "'agnets' is not a command; did you mean 'agents'?"],
    [["agnets", "--help"], "did you mean 'agents'?"],
    [["agents", "grnat", "scout"], "'agents' has no command 'grnat'; did you mean 'agents grant'?"],
    [["agents", "scout"], "'agents' has no command 'scout'; write 'agents list' or "],
    [["agents", "revoke", "scout", "x", "--dry-rnu"], "did you mean '--dry-run'?"],
    [["agents", "grant", "scout", "x", "-y"], "did you mean '--yes'?"],
    [["completion"], "'completion' needs SHELL"],
    [["completion", "bsh"], "there is no completion for 'bsh'; did you mean 'bash'?"],
    [["completion", "powershell"], "write 'bash', 'zsh', 'fish'"],
    [["run"], "'run' needs a file of calls"],
    [["run", "c.json"], "add --agent with a record, or --personality"],
    [["run", "c.json", "d.json", "--personality", "p"], "'d.json' is one word too many"],
    [["run", "c.json", "--personalty", "p"], "did you mean '--personality'?"],
    [["run", "c.json", "-p", "p"], "'-p' is not an option"],
    [["run", "c.json", "--personality"], "--personality needs a value"],
    [["run", "c.json", "--personality="], "--personality needs a value"],
    [["run", "c.json", "--personality", "p", "--personality", "q"], "--personality is given twice"],
    [["run", "c.json", "--personality", "p", "--json=yes"], "--json takes no value"],
    [["run", "c.json", "--personality", "p", "--session", "a b"], "--session takes one word"],
    [["run", "c.json", "--agent", "scout.md"], "there is no agent 'scout.md'"],
    [["tools", "list", "--session", "s"], "'tools list' has no option --session"]
  ])("%j is refused: %s", async (args, words) => {
    const { code, stderr, stdout } = await new Folder().bailiwick(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(words)
    expect(stderr.trim().split("\n")).toHaveLength(1)
  })

  it("whatever is given is a command or a CliError", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "run",
        "explain",
        "tools",
        "list",
        "-",
        "--",
        "--json",
        "--personality",
        "--session=a",
        "--x"
      ),
      fc.string({ unit: codePoint, maxLength: 8 })
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 7 }), (args) => {
        try {
          expect(parseArguments(args)).toHaveProperty("command")
        } catch (error) {
          expect(error).toBeInstanceOf(CliError)
        }
      }),
      { numRuns: times(500) }
    )
  })
})

describe("help", () => {
  /** Both ways to ask for the help of a command, and how it is called there. */
  const usages = commandNames.flatMap((name): ReadonlyArray<[Array<string>, string]> => {
    const usage = `bailiwick ${name === "agents list" ? "agents [list]" : name}`
    return [
      [[...name.split(" "), "--help"], usage],
      [["help", ...name.split(" ")], usage]
    ]
  })

  const asked: ReadonlyArray<[ReadonlyArray<string>, string]> = [
    [[], "bailiwick: tools that"],
    [["--help"], "bailiwick: tools that"],
    [["-h"], "bailiwick: tools that"],
    [["help"], "bailiwick: tools that"],
    [["run", "--help"], "Usage: bailiwick run"],
    [["help", "explain"], "Usage: bailiwick explain"],
    [["tools", "list", "-h"], "Usage: bailiwick tools list"],
    [["run", "calls.json", "--help"], "Usage: bailiwick run"],
    ...usages
  ]

  it.each(asked)("%j is answered", (args, words) => {
    expect(helpFor(args)).toContain(words)
  })

  it.each([[["run", "x"]], [["nothing", "--help"]], [["run", "--", "--help"]], [["--json"]]])(
    "%j is not help",
    (args) => {
      expect(helpFor(args)).toBeUndefined()
    }
  )
})

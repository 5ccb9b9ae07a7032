import * as Floor from "../../src/policy/gate/floor/Floor.js"
import { variables } from "../../src/policy/gate/floor/Moved.js"
import { groups } from "../../src/policy/gate/floor/Places.js"

/** From the root of the repository. */
export const file = "docs/floor.md"

type Group = (typeof groups)[number]

const starts: { readonly [W in Group["where"]]: string } = {
  root: "/",
  home: "~/",
  anywhere: "**/",
  workspace: "./"
}

const section = ({ closed, entries, title, where }: Group): ReadonlyArray<string> => [
  `### ${title}`,
  "",
  closed === "always" ? "Neither read nor changed." : "Read, but not changed.",
  "",
  "| Path | Why |",
  "|---|---|",
  ...entries.map(([path, reason]) => `| \`${starts[where]}${path}\` | ${reason} |`),
  ""
]

const workspace = "/work"
const shown = ["README.md", "package.json", ".github/workflows/ci.yml"].map((name) => `${workspace}/${name}`)

const floor = Floor.around(`${workspace}/records/agents/scout.md`, { home: "/home/ada", workspace })

const answer = (path: string): string => {
  const found = Floor.guards(floor, "write", path)
  return `${path}: ${found === undefined ? "open" : `${found.reason}, ${found.lifts ? "lifted by name" : "never lifted"}`}`
}

const example: ReadonlyArray<string> = [
  "```ts",
  'import { Floor } from "bailiwick"',
  "",
  `const floor = Floor.around("${workspace}/records/agents/scout.md", { home: "/home/ada", workspace: "${workspace}" })`,
  `for (const path of ${JSON.stringify(shown).replaceAll(",", ", ")}) {`,
  '  const found = Floor.guards(floor, "write", path)',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is shown
  '  console.log(`${path}: ${found === undefined ? "open" : `${found.reason}, ${found.lifts ? "lifted by name" : "never lifted"}`}`)',
  "}",
  "```",
  "",
  "```text output",
  ...shown.map(answer),
  "```"
]

const count = (lifts: boolean): number =>
  groups.filter((group) => group.lifts === lifts).reduce((sum, { entries }) => sum + entries.length, 0)

/** The page of all places, as it must be. */
export const floorPage = (): string =>
  [
    "# The floor",
    "",
    "This page is for operators who ask why a path is refused. It lists every path that is guarded whatever a policy",
    "reaches, with the reason for each.",
    "",
    ...example,
    "",
    "- `/` is the root of the machine, and `~/` every home: `/root`, `/home/*`, `/Users/*`, `/var/root`, and the one of",
    "  whoever runs the command. `./` is the root of the workspace that a command loads, and `**/` is any depth.",
    "- `~/library` is guarded in homes of macOS: in those below `/home`, and in `/root`, it is a directory like any other.",
    "- A path covers all that is below it. `*` stands for any part of one name, and `<word>` for letters and digits that",
    "  are not the ending of a source or a text.",
    "- Names are compared as the most forgiving file system compares them: without case, and without characters that",
    "  cannot be seen. So the lists are in lower case.",
    "- A link is where it leads. [Files](files.md#the-floor) says how that is held, and what programs add to the lists.",
    "",
    `## What no policy lifts`,
    "",
    `${count(false)} places: credentials, what the kernel shows, state, policy, and code that a command loads.`,
    "",
    ...groups.filter(({ lifts }) => !lifts).flatMap(section),
    "### What variables of the environment move",
    "",
    "Neither read nor changed, where `NodeFiles` finds the variable set. `XDG_CONFIG_HOME`, `XDG_DATA_HOME`, `XDG_STATE_HOME`",
    "and `XDG_CACHE_HOME` move what the lists have below `~/.config`, `~/.local/share`, `~/.local/state` and `~/.cache`.",
    "",
    "| Variable | Why |",
    "|---|---|",
    ...variables.map(([name, reason]) => `| \`${name}\` | ${reason} |`),
    "",
    "## What a policy lifts by naming it",
    "",
    `${count(true)} places that run later by themselves, or belong to the system. A policy lifts one by naming its exact path, or a`,
    "path below it: `fs.write{in=/work/.github/workflows}` in an agent's record, or `/work/.github/workflows` under",
    "`fs_reach.write` of a personality. A directory above it, or a pattern that matches it, does not. Where two policies hold",
    "together, both must name it. The homes of others are guarded in the same way, where it is known whose home is whose.",
    "",
    ...groups.filter(({ lifts }) => lifts).flatMap(section),
    "## Sources",
    "",
    "The second part covers what other sandboxes of agents guard: the mandatory paths of Anthropic's `sandbox-runtime`, the",
    "protected metadata of Codex, the files for which Visual Studio Code always asks, and what others added after reports.",
    "",
    "<!-- Written by 'npm run docs:floor': change the lists in src/policy/gate/floor, and write it anew. -->",
    ""
  ].join("\n")

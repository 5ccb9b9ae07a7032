import { type Entry, explain, type Topic, topics } from "../../src/registry/errorCodes/ErrorCode.js"

/** From the root of the repository. */
export const file = "docs/errors.md"

const code = (text: string): string => `\`${text}\``

const line = (cells: ReadonlyArray<string>): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`

const places = (entry: Entry): string => entry.in.map(code).join(", ")

/** Where all of a topic is met in the same places, these are said once. */
const section = ({ about, entries, title }: Topic<Entry["code"]>): ReadonlyArray<string> => {
  const [first, ...others] = new Set(entries.map(places))
  const isOne = others.length === 0
  const head = ["Code", ...(isOne ? [] : ["Met in"]), "Cause", "Remedy"]
  return [
    `## ${title}`,
    "",
    about,
    "",
    ...(isOne ? [`Met in ${first}.`, ""] : []),
    line(head),
    `|${"---|".repeat(head.length)}`,
    ...entries.map((entry) =>
      line([code(entry.code), ...(isOne ? [] : [places(entry)]), entry.cause, entry.remedy])
    ),
    ""
  ]
}

const anchor = (title: string): string => title.toLowerCase().replaceAll(" ", "-")

const EXAMPLE = "NOT_AN_AGENT"

const example: ReadonlyArray<string> = [
  "```ts",
  'import { ErrorCode } from "bailiwick"',
  "",
  `for (const { cause, remedy, topic } of ErrorCode.explain("${EXAMPLE}")) {`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is shown
  "  console.log(`${topic}: ${cause} ${remedy}`)",
  "}",
  "```",
  "",
  "```text output",
  ...explain(EXAMPLE).map(({ cause, remedy, topic }) => `${topic}: ${cause} ${remedy}`),
  "```"
]

/** The page of all codes, as it must be. */
export const errorsPage = (): string =>
  [
    "<!-- Written by 'npm run docs:errors': change the words in src/registry/errorCodes, and write it anew. -->",
    "",
    "# Error codes",
    "",
    "Every code that the library and the command line answer with: where it is met, why, and what to do. The message of an",
    "error is `<CODE>: <detail>`, and its detail names the very thing; a refusal also carries a `Denial`, with what was",
    "asked, what is held and what would lift it. The same code may be met in several places, for different causes.",
    "",
    ...topics.map(({ entries, title }) => `- [${title}](#${anchor(title)}): ${entries.length}`),
    "",
    ...topics.flatMap(section),
    "## As data",
    "",
    "`ErrorCode.all` is this table; `ErrorCode.explain` finds what a code means, in each place that it is met in.",
    "",
    ...example,
    ""
  ].join("\n")

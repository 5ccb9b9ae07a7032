/** What a tool uses instead, in one sentence for each reason that a finding can have. */

export const remedies = {
  files: "Use Files, and declare fs_reach",
  network: "Use Network, and declare network",
  process: "Use Process, and declare process",
  secrets: "Use Secrets, and declare secrets",
  storage: "Use Storage, and declare storage",
  database: "Use Storage and declare storage, or list a service of the application in services",
  settings: "Use Secrets for what is secret, and parameters or a service of the application for the rest",
  host: "Take it as a parameter: the program that runs the tool knows its machine, and the tool does not",
  output: "Return it as the answer, or report it with Progress",
  code: "Nothing takes its place: a tool runs no code from text and loads none by computed names",
  threads: "Nothing takes its place: a worker has none of the tool's limits. Use Effect.fork or Process",
  globals: "Name the member that is needed, so that it can be seen",
  live: "Use the capability, such as Files or Network: the program that runs the tool provides its layers",
  tests: "Import it in a test: a tool file ships without doubles",
  bridge: "Provide it from the tool's capabilities with the layers of bailiwick/platform",
  unbridged: "Nothing takes its place: no capability stands for it",
  named: "Re-export by name what is needed, so that it can be seen"
} as const

export type Remedy = keyof typeof remedies

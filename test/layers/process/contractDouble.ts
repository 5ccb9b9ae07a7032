/** The few commands of ProcessContract that a mock knows. */
import { Effect } from "effect"
import type { Process } from "../../../src/capabilities/process/Process.js"

const textOf = (stdin: Process.Options["stdin"] = ""): string =>
  typeof stdin === "string" ? stdin : new TextDecoder().decode(stdin)

export const handler: Process.MockHandler = (binary, args, { cwd = "", env = {}, stdin }) => {
  switch (binary) {
    case "echo":
      return `${args.join(" ")}\n`
    case "printf":
      return args
        .slice(1)
        .map((word) => `<${word}>`)
        .join("")
    case "cat":
      return textOf(stdin)
    case "true":
      return ""
    case "false":
      return { exitCode: 1 }
    case "pwd":
      return `${cwd}\n`
    case "env":
      return Object.entries(env)
        .map(([name, value]) => `${name}=${value}\n`)
        .join("")
    case "sleep":
      return Effect.never
    case "sh":
      return args[1] === "pwd"
        ? `${cwd}\n`
        : { stdout: `${env.GREETING ?? ""}\n`, stderr: "oh\n", exitCode: 3 }
    default:
      return { exitCode: 127 }
  }
}

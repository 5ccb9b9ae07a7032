/**
 * @since 0.1.0
 */
import { Effect, Stream } from "effect"
import { type Process, type ProcessCommand, ProcessError } from "../../capabilities/Process.js"
import type { Authority } from "../../policy/Authority.js"
import * as Request from "../../policy/Request.js"
import * as Gate from "./Gate.js"
import { type Places, resolve } from "./Places.js"

const gate = (authority: Authority) =>
  Gate.make(authority, {
    denied: (denial) =>
      new ProcessError({
        code:
          denial.code === "SHELL_NOT_ALLOWED" || denial.code === "CWD_NOT_REACHABLE"
            ? denial.code
            : "BINARY_NOT_ALLOWED",
        detail: denial.detail,
        denial
      }),
    malformed: ({ code, detail }) =>
      new ProcessError({ code: code === "PATH_INVALID" ? "CWD_NOT_REACHABLE" : "BINARY_NOT_ALLOWED", detail })
  })

/** The words and the directory that were asked about. */
const elementOf = ({ element }: Request.Scoped) => {
  const [binary = "", ...args] = element.argv ?? []
  return { binary, args, cwd: `/${(element.in ?? []).join("/")}` }
}

/**
 * Commands, each asked of the authority first, with the directory that it will run in. The operation gets the words
 * and the directory that were asked about.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (
  authority: Authority,
  places: Places,
  inner: Process.Operations
): Process.Operations => {
  const { ask } = gate(authority)
  const directory = (cwd: string | undefined) => resolve(cwd ?? places.workdir, places)
  const command = ({ args, binary, cwd, ...rest }: typeof ProcessCommand.Type) => {
    const asked = ask(Request.exec([binary, ...args], directory(cwd)))
    return Effect.map(asked, (allowed) => ({ ...rest, ...elementOf(allowed) }))
  }
  return {
    spawn: (given) => Effect.flatMap(command(given), inner.spawn),
    stream: (given) => Stream.unwrap(Effect.map(command(given), inner.stream)),
    shell: ({ cwd, ...rest }) =>
      Effect.flatMap(ask(Request.shell(directory(cwd))), (allowed) =>
        inner.shell({ ...rest, cwd: elementOf(allowed).cwd })
      )
  }
}

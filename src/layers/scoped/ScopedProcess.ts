/**
 * @since 0.1.0
 */
import { Effect, Stream } from "effect"
import { type Process, ProcessError } from "../../capabilities/Process.js"
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

/**
 * Commands, each asked of the authority first, with the directory that it will run in.
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
  const placed = <C extends { readonly cwd?: string }>(command: C) => ({
    ...command,
    cwd: resolve(command.cwd ?? places.workdir, places)
  })
  return {
    spawn: (given) => {
      const command = placed(given)
      return Effect.zipRight(
        ask(Request.exec([command.binary, ...command.args], command.cwd)),
        inner.spawn(command)
      )
    },
    stream: (given) => {
      const command = placed(given)
      return Stream.unwrap(
        Effect.as(ask(Request.exec([command.binary, ...command.args], command.cwd)), inner.stream(command))
      )
    },
    shell: (given) => {
      const script = placed(given)
      return Effect.zipRight(ask(Request.shell(script.cwd)), inner.shell(script))
    }
  }
}

/** What a `Command` fails with: an error of the platform that has one of `Process` as its cause, so that it comes back. */
import { type PlatformError, SystemError, type SystemErrorReason } from "@effect/platform/Error"
import { ProcessError } from "../capabilities/process/ProcessOperations.js"

const reasons: { readonly [C in ProcessError["code"]]: SystemErrorReason } = {
  BINARY_NOT_ALLOWED: "PermissionDenied",
  SHELL_NOT_ALLOWED: "PermissionDenied",
  CWD_NOT_REACHABLE: "PermissionDenied",
  ENV_REFUSED: "PermissionDenied",
  BINARY_NOT_FOUND: "NotFound",
  SPAWN_FAILED: "Unknown",
  TIMED_OUT: "TimedOut",
  LIMIT_EXCEEDED: "Busy",
  ENDED: "Unknown"
}

/** What an input failed with is an error of the platform already. */
export const wrapped =
  (method: string, command: string) =>
  (error: ProcessError | PlatformError): PlatformError =>
    error instanceof ProcessError
      ? new SystemError({
          reason: reasons[error.code],
          module: "Command",
          method,
          pathOrDescriptor: command,
          description: error.message,
          cause: error
        })
      : error

const because = (code: ProcessError["code"], detail: string) => new ProcessError({ code, detail })

export const refusal = {
  shell: because(
    "SHELL_NOT_ALLOWED",
    "a Command runs in no shell; leave runInShell out, or use Process.shell and declare '*'"
  ),
  pipe: because(
    "SHELL_NOT_ALLOWED",
    "Commands are not piped into one another; give the output of one as stdin to the next, or use Process.shell"
  ),
  inherit: because(
    "SPAWN_FAILED",
    "a tool has no terminal to give to a Command; leave 'inherit' out, and read what the command writes"
  ),
  user: because("SPAWN_FAILED", "a Command runs as the user of the program; leave uid and gid out"),
  signal: (name: string) =>
    because("SPAWN_FAILED", `${name} is not sent to commands; use SIGTERM, SIGKILL, SIGINT or SIGHUP`)
}

export const endedBySignal = (name: string): ProcessError =>
  because("ENDED", `the command was ended by ${name} and has no exit code`)

export const truncated: ProcessError = because(
  "LIMIT_EXCEEDED",
  "the command wrote more than is kept of it; have it write less or to a file, or the operator raise maxOutputBytes"
)

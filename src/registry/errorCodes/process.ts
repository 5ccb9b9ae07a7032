import { ProcessError } from "../../capabilities/process/ProcessOperations.js"
import { deniedOf } from "./denied.js"
import { topic } from "./topic.js"

const codes = ProcessError.fields.code.literals

export const process = topic({
  title: "Commands",
  about: "Commands that are refused, cannot be started or are stopped.",
  surfaces: { ProcessError: codes, Denial: deniedOf(codes) },
  words: {
    BINARY_NOT_ALLOWED: {
      cause:
        "The command or its arguments are not held, the tool itself could replace its file, or the file is no longer the one that was looked up.",
      remedy:
        "Declare the command and have the policy allow it with these arguments; keep commands out of what tools write."
    },
    SHELL_NOT_ALLOWED: {
      cause: "A shell pipeline was asked for, and no shell is held there.",
      remedy: "Run the command with its arguments, or grant `proc.eval` with a root."
    },
    CWD_NOT_REACHABLE: {
      cause:
        "The command may not run in that directory, the directory is not there, or a link leads out of where it may run.",
      remedy: "Name an absolute directory that is there and held, by its real path."
    },
    ENV_REFUSED: {
      cause: "A variable would change what a command runs or reads, or is not a variable at all.",
      remedy: "Leave the variable out. No setting passes on variables that load code or steer git."
    },
    BINARY_NOT_FOUND: {
      cause:
        "The operator's PATH has no executable file of that name, or commands are not started on this platform.",
      remedy: "Install it where the PATH leads, or declare and call it by its full path."
    },
    SPAWN_FAILED: {
      cause: "The system did not start the command, or the process layer was closed.",
      remedy: "Do what the message says: check the file, its permissions and the limits of the system."
    },
    TIMED_OUT: {
      cause: "The command did not end in time, and was stopped with all that it had started.",
      remedy: "Give it less to do, or a longer timeout."
    },
    LIMIT_EXCEEDED: {
      cause: "Too many commands are waiting for others to end, or the timeout is not a positive number.",
      remedy: "Start fewer at once, and leave the timeout out for the default."
    },
    ENDED: {
      cause:
        "A started command was ended from outside before it ended by itself: its scope closed, or its call ended.",
      remedy: "Read what the command writes and wait for its end inside the scope that it was started in."
    }
  }
})

import { FilesError } from "../../capabilities/files/FilesOperations.js"
import { deniedOf } from "./denied.js"
import { topic } from "./topic.js"

const codes = FilesError.fields.code.literals

export const files = topic({
  title: "Files",
  about: "Paths that are refused or cannot be used.",
  surfaces: { FilesError: codes, Denial: deniedOf(codes) },
  words: {
    PATH_NOT_REACHABLE: {
      cause:
        "The path is not an absolute one without `..`, lies outside what the tool and the policy reach, leaves it through a link, or is one that no policy opens.",
      remedy: "Declare the path and have the policy reach it; behind a link, have it name the real path."
    },
    PATH_INVALID: {
      cause: "The file system cannot have a file of that name.",
      remedy: "Use a shorter path of whole characters."
    },
    NOT_FOUND: {
      cause: "The file is not there, or the directory to write it into is not.",
      remedy: "Check the path, or make the directory first with `mkdir`."
    },
    ALREADY_EXISTS: {
      cause: "There is something of that name already.",
      remedy:
        "Use another name; give `mkdir` the option `recursive` where the directory may be there, and use `write` where a file may be replaced."
    },
    NOT_A_FILE: {
      cause:
        "The path is a directory, or a pipe, socket or device, which are never opened; or what is moved is, or holds, a link that would lead elsewhere.",
      remedy: "Ask `stat` what is there, and name a regular file."
    },
    NOT_A_DIRECTORY: {
      cause: "The path, or something above it, is not a directory.",
      remedy: "Ask `stat` what is there, and name a directory."
    },
    LIMIT_EXCEEDED: {
      cause: "More bytes or entries would be read, written, listed or removed than is done at once.",
      remedy: "Read with `offset` and `length`, work in parts, or raise the limit of the layer."
    },
    QUOTA_EXCEEDED: {
      cause: "The tools of the turn, or of its session, have written as many files or bytes as they may.",
      remedy: "Go on in another turn or session, or raise the `quota` of the layer."
    },
    FILES_FAILED: {
      cause:
        "The operating system refused: rights, space, too many open files, a directory that is not empty, a move to another disk, an append to a file with several names; or the pattern or range cannot be read.",
      remedy: "Do what the message says, or look at the file as the user that runs the program."
    }
  }
})

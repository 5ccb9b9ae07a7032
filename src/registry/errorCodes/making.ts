/** What authors of tools and of programs get wrong. */
import { ScopeInvalid } from "../../policy/lattice/ScopeInvalid.js"
import { ArgumentError } from "../../tools/builtin/ArgumentError.js"
import { ToolDefinitionError } from "../../tools/Tool.js"
import { ManifestInvalid } from "../manifest/Model.js"
import { RegistryError } from "../RegistryError.js"
import { deniedOf } from "./denied.js"
import { topic } from "./topic.js"

export const builtins = topic({
  title: "Built-in tools",
  about: "Arguments that fit the schema of a built-in tool and still mean nothing.",
  surfaces: { "Builtin.ArgumentError": ArgumentError.fields.code.literals },
  words: {
    ARGUMENT_INVALID: {
      cause:
        "A command holds its arguments, a content is not base64 though it says so, or too many lines are asked for.",
      remedy: "Do what the message says: it names the argument and its right form."
    }
  }
})

const ofScopes = ScopeInvalid.fields.code.literals

export const scopes = topic({
  title: "Scopes and requests in code",
  about: "Patterns and requests that cannot be read. They grant nothing, and ask for nothing.",
  surfaces: { ScopeInvalid: ofScopes, Denial: deniedOf(ofScopes) },
  words: {
    HOST_INVALID: {
      cause: "A pattern is not a host, `*.` before a domain, or `*`.",
      remedy: "Write the host alone, without scheme, path and port."
    },
    URL_INVALID: {
      cause: "What was requested is not an absolute http or https URL, or holds a user name.",
      remedy: "Write the whole URL, and send credentials in a header."
    },
    METHOD_INVALID: {
      cause: "The method is one that is always refused.",
      remedy: "Use GET, HEAD, OPTIONS, POST, PUT, PATCH or DELETE."
    },
    PATH_INVALID: {
      cause: "A path is relative, holds `..` or a control character, or is too long.",
      remedy: "Write an absolute path without `..`."
    },
    COMMAND_INVALID: {
      cause: "A command is empty, too long, or a pattern where one command belongs.",
      remedy: "Write its name and its arguments as separate words."
    },
    REF_INVALID: {
      cause: "What was given is not the name of a secret.",
      remedy: "Write segments of letters, digits and `_ @ + : = . -` between slashes."
    },
    NAME_INVALID: {
      cause: "What was given is not a scope of storage, a kind of attachment, a class of record or a tool.",
      remedy: "Write one of the words that the message names."
    },
    ID_INVALID: {
      cause: "What was given is not the id of a record or an agent.",
      remedy: "Write words between slashes, none of them empty, `.` or `..`."
    },
    REQUEST_INVALID: {
      cause: "What was asked is not a request.",
      remedy: "Write one such as `GET https://example.com/`, `read /x` or `exec git log in /work`."
    },
    SCOPE_INVALID: {
      cause: "A scope leaves out one of the things that it must speak of.",
      remedy: "Add what the message names; the pattern that it shows stands for all."
    }
  }
})

export const definitions = topic({
  title: "Definitions of tools",
  about: "Thrown where a tool is made: a mistake of its author, found when it is loaded.",
  surfaces: { "Tool.ToolDefinitionError": ToolDefinitionError.fields.code.literals },
  words: {
    NAME_INVALID: {
      cause: "The name of the tool is not one that a model can call.",
      remedy: "Use 1 to 64 letters, digits, `_` or `-`."
    },
    DESCRIPTION_INVALID: {
      cause: "The tool has no description.",
      remedy: "Say in a sentence what it is for: models choose by it."
    },
    PARAMETERS_INVALID: {
      cause: "The parameters are not a schema of an object, or cannot be shown as JSON Schema.",
      remedy:
        "Use a `Schema.Struct`, a `Schema.Class` or a union of them, of fields that JSON can hold, with an annotation for those of your own."
    },
    CAPABILITIES_INVALID: {
      cause: "The tool declares no capabilities, or a category, key or value that there is not.",
      remedy: "Correct what the message names; `capabilities: {}` declares that it touches nothing."
    },
    SERVICES_INVALID: {
      cause:
        "`services` is not a list of tags of the application, each once: it holds something else, a capability, a backend, a service of the platform or of Effect.",
      remedy: "Do what the message says: it names the key, and what to use instead."
    },
    OPTION_INVALID: {
      cause: "Another option of the tool is of the wrong type.",
      remedy: "Correct the option that the message names, or leave it out."
    },
    EXECUTE_INVALID: {
      cause: "The tool has no function `execute`.",
      remedy: "Give it one that answers with an Effect."
    }
  }
})

export const locks = topic({
  title: "The lock of tools",
  about: "Why `bailiwick.lock.json` cannot be read. `manifest --check` then exits with 2.",
  surfaces: { "Manifest.ManifestInvalid": ManifestInvalid.fields.code.literals },
  words: {
    LOCK_CONFLICTED: {
      cause: "Two branches changed the lock, and git left its marks in it.",
      remedy: "Resolve the conflict, or run `bailiwick manifest` and review what it changes."
    },
    LOCK_INVALID: {
      cause: "The lock is not JSON, says a key twice, or holds what no lock holds.",
      remedy: "Run `bailiwick manifest` to write it anew, and review what it changes."
    },
    LOCK_VERSION_UNKNOWN: {
      cause: "Another version of bailiwick wrote the lock.",
      remedy: "Update bailiwick. The lock is not overwritten."
    }
  }
})

export const registration = topic({
  title: "Registration of tools",
  about: "Why a registry does not take a tool.",
  surfaces: { RegistryError: RegistryError.fields.code.literals },
  words: {
    TOOL_MALFORMED: {
      cause: "What was registered is not a tool that declares its capabilities.",
      remedy: "Make it with `Tool.make`."
    },
    NAME_TAKEN: {
      cause: "A tool of that name, or of one that looks like it, is registered already.",
      remedy: "Give one of the two another name."
    }
  }
})

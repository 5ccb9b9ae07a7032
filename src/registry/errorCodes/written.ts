/** What operators write in files, and what is wrong with it. */

import { agentCodes } from "../../policy/agent/AgentFile.js"
import { EditRefused } from "../../policy/agent/edit/AgentEdit.js"
import { GrantInvalid } from "../../policy/grant/Grant.js"
import { fileCodes, grantCodes, personalityCodes, skillCodes } from "../../policy/text/Problem.js"
import { topic } from "./topic.js"

const WORKSPACE = "bailiwick.yaml"

export const anyFile = topic({
  title: "Files that are read",
  about:
    "What is wrong with a file that an operator writes: a personality, a workspace, the front matter of a record, an agent or a skill. The message names its line.",
  surfaces: {
    PersonalityInvalid: fileCodes,
    [WORKSPACE]: fileCodes,
    "AgentRecord.Warning": fileCodes,
    "Skill.Problem": fileCodes,
    "Doctor.Finding": fileCodes
  },
  words: {
    FILE_TOO_LARGE: {
      cause: "The file is larger, or holds more, than is read.",
      remedy: "Name directories and patterns instead of every single thing, or split the file."
    },
    YAML_INVALID: {
      cause:
        "The YAML cannot be read, or uses what could be taken for something else: tags, aliases, merge keys, tabs, an unquoted `*`.",
      remedy: "Write plain lists and mappings, quote what starts with `*`, and close front matter with `---`."
    },
    KEY_UNKNOWN: {
      cause: "A key is not one that the file can have, and is probably misspelt.",
      remedy: "Write the key that the message suggests, or delete it."
    },
    KEY_DUPLICATE: {
      cause: "A key is written twice in one mapping.",
      remedy: "Keep one of the two."
    },
    KEY_MISSING: {
      cause: "A key that the file must have is not there.",
      remedy: "Add the key that the message names."
    },
    VALUE_INVALID: {
      cause: "A value is of the wrong type, is empty or too long, or is not one of those that the key takes.",
      remedy: "Write what the message says; an empty list is `[]`."
    },
    NAME_INVALID: {
      cause: "No tool, plugin, server or skill can have that name.",
      remedy: "Write the name alone, as it is registered; leave `toolset` out for all tools."
    }
  }
})

export const personalities = topic({
  title: "Personalities",
  about: "What is wrong with a personality. It is not used until that is corrected.",
  surfaces: {
    PersonalityInvalid: personalityCodes,
    [WORKSPACE]: ["HOST_INVALID"],
    "Doctor.Finding": personalityCodes
  },
  words: {
    HOST_INVALID: {
      cause:
        "An entry is not a host, a `*.` pattern or a private endpoint, or is a host that every policy refuses.",
      remedy:
        "Write the host without scheme and path, as in `api.example.com`, `*.example.com` or `127.0.0.1:8080`."
    },
    COMMAND_INVALID: {
      cause: "An entry of `process.allow` is not a command or a pattern of one.",
      remedy: "Write the name alone, or a pattern such as `git log *`."
    },
    REF_INVALID: {
      cause: "An entry of `secrets.allow` is not the name of a secret or of a folder of them.",
      remedy: "Write a name, or a folder such as `providers/exa/*`."
    },
    TOOLSET_TWICE: {
      cause: "The toolset is written in the personality and in a file of its own.",
      remedy: "Keep one of the two."
    },
    GRANT_MISPLACED: {
      cause: "`grants` of a personality names what the personality has words of its own for.",
      remedy: "Write hosts in `safety.network`, directories in `fs_reach` and commands in `process`."
    }
  }
})

export const grants = topic({
  title: "Grants",
  about: "What is wrong with a grant, in a file or on the command line. It grants nothing.",
  surfaces: {
    GrantInvalid: GrantInvalid.fields.code.literals,
    "AgentRecord.Warning": grantCodes,
    PersonalityInvalid: grantCodes,
    [WORKSPACE]: ["PATH_INVALID"],
    "Doctor.Finding": grantCodes
  },
  words: {
    GRANT_MALFORMED: {
      cause: "A grant is not `resource.verb`, alone or with a scope.",
      remedy:
        "Write `records.read`, `net.get: { hosts: [...] }` in YAML, or `net.get{hosts=[...]}` in one line."
    },
    CAPABILITY_UNKNOWN: {
      cause: "The catalog has no such resource and verb.",
      remedy: "Write the one that the message suggests; `bailiwick agents grant ID` shows the catalog."
    },
    SCOPE_KEY_UNKNOWN: {
      cause: "The grant takes no scope of that key.",
      remedy: "Write one of the keys that the message names."
    },
    SCOPE_VALUE_INVALID: {
      cause: "A value of the scope is of the wrong type, is blank, or is not a host, command, id or class.",
      remedy: "Write a list where a list belongs, and each entry as the message says."
    },
    PATH_INVALID: {
      cause:
        "A path is relative, holds `..`, lies outside of its root, or starts at a home or workspace that is not there.",
      remedy: "Start a root with `/` or `~/`, and write `paths` below `in`."
    }
  }
})

export const agentRecords = topic({
  title: "Agent records",
  about: "Warnings of an agent's record. It loads all the same, and what is wrong in it grants nothing.",
  surfaces: { "AgentRecord.Warning": agentCodes, "Doctor.Finding": agentCodes },
  words: {
    GRANT_DEPRECATED: {
      cause: "A grant is written with an old name, which is still understood.",
      remedy: "Write the name that the message gives."
    },
    SANDBOX_CLAMPED: {
      cause: "The `sandbox` of the agent reaches beyond that of the workspace, and is cut down to it.",
      remedy: "Write a directory below the sandbox of the workspace."
    },
    ROOT_CLAMPED: {
      cause:
        "The `in` of a grant reaches beyond the sandbox of the agent or the workspace, and is cut down to it.",
      remedy: "Write an `in` below that sandbox."
    },
    ID_MISMATCH: {
      cause: "The record says another id than that of its file, which is the one that holds.",
      remedy: "Write the id of the file, or move the file."
    }
  }
})

export const edits = topic({
  title: "Changes of grants",
  about: "Why `bailiwick agents grant` or `revoke`, or a tool that grants, changed nothing.",
  surfaces: { "AgentEdit.EditRefused": EditRefused.fields.code.literals },
  words: {
    RECORD_UNREADABLE: {
      cause: "The front matter of the record cannot be read.",
      remedy: "Correct the file by hand first, at the line that the message names."
    },
    NOT_AN_AGENT: {
      cause: "The record is of another class, and only agents hold grants.",
      remedy: "Name an agent, or write `class: agent`."
    },
    GRANT_INVALID: {
      cause: "The grant cannot hold in this record, as when it lies outside of the agent's sandbox.",
      remedy: "Write a grant that holds there, or widen the sandbox first."
    },
    STILL_ALLOWED: {
      cause: "What is to be revoked is part of a wider grant, and a grant cannot leave something out.",
      remedy: "Revoke the wider grant, and grant what is to stay."
    },
    EDIT_IMPOSSIBLE: {
      cause: "The front matter cannot be changed so that it says exactly that.",
      remedy: "Edit the file by hand, with `capabilities` as a plain list without anchors."
    }
  }
})

export const skills = topic({
  title: "Skills",
  about: "What is wrong with a skill, beside what can be wrong with any file. It is offered to nobody.",
  surfaces: { "Skill.Problem": skillCodes },
  words: {
    BODY_MISSING: {
      cause: "Nothing follows the front matter.",
      remedy: "Write below it what to do."
    },
    NAME_MISMATCH: {
      cause: "The `name` of the skill is not that of its directory or file.",
      remedy: "Make the two the same."
    },
    TOOL_INVALID: {
      cause: "An entry of `allowed-tools` cannot be understood.",
      remedy: "Write a name, with its scope in parentheses behind it, as in `Bash(git log *)`."
    },
    FILE_UNREADABLE: {
      cause: "The file of the skill cannot be read.",
      remedy: "See that it is a regular file of text, and that this user may read it."
    }
  }
})

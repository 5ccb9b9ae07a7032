import { findingCodes } from "../doctor/Model.js"
import { topic } from "./topic.js"

export const doctor = topic({
  title: "Doctor",
  about:
    "Findings of `bailiwick doctor`, beside what it passes on from the files it reads. It warns and blocks nothing.",
  surfaces: { "Doctor.Finding": findingCodes },
  words: {
    STORAGE_UNREACHABLE: {
      cause: "The workspace keeps state in PostgreSQL, which cannot be reached or used.",
      remedy: "Do what the message says; until then calls that need it answer `not_available`."
    },
    STORAGE_NOT_READY: {
      cause: "PostgreSQL is there, and has no tables yet, or those of an earlier version.",
      remedy: "Call a tool that keeps something, which makes them; or have somebody run `Migrations.sql()`."
    },
    RECORDS_MISSING: {
      cause: "The directory of records is not there, and so there are no agents.",
      remedy: "Create it, or write `records_dir` in `bailiwick.yaml`."
    },
    ID_AMBIGUOUS: {
      cause:
        "Two ids look alike, or differ only in the case or the encoding of letters, which some file systems take for one.",
      remedy: "Rename one of the files."
    },
    FILE_UNREADABLE: {
      cause: "A record or a personality cannot be read at all.",
      remedy: "See that it is a regular file of text, and that this user may read it."
    },
    LINK_IGNORED: {
      cause: "A symbolic link stands where a record or a skill would, and is not followed.",
      remedy: "Put the file itself there, or delete the link."
    },
    NOT_AN_AGENT: {
      cause:
        "A record writes grants, is kept among the agents or nearly says that it is one, and is not of that class: it holds nothing.",
      remedy: "Write `class: agent` in its front matter."
    },
    GRANT_INERT: {
      cause:
        "A grant gives nothing: it has no root at any level, one outside of the agent's, no host, or an empty scope.",
      remedy: "Give it what the message names: `in`, a `sandbox`, `hosts`."
    },
    SANDBOX_EMPTY: {
      cause: "`sandbox` is written and empty; to YAML a lone `~` is nothing.",
      remedy: 'Write a directory; the home alone is `"~"`, in quotes.'
    },
    KEY_EMPTY: {
      cause:
        "`capabilities` or `access` is written and empty: it keeps the default away, and gives nothing itself.",
      remedy: "Write what is meant: a list, of which `[]` is none, or `r`, `w`, `rw`; or delete the key."
    },
    GRANT_MOOT: {
      cause: "All that a grant gives is given by others of the agent, so that it narrows nothing.",
      remedy: "Delete it, or narrow the others; write a shorthand out where it is the wider one."
    },
    COMMANDS_UNRESTRICTED: {
      cause: "A `proc.exec` names neither commands nor patterns, and allows every command.",
      remedy: "Add `cmds` or `patterns`; write the grants of a `sandbox` out to do so."
    },
    COMMAND_NOT_FOUND: {
      cause: "The command that starts an MCP server is not on the path, or is no file.",
      remedy: "Install it, or write the whole path of it as `command`."
    },
    SERVER_MAY_ASK: {
      cause:
        "An MCP server may ask for its roots, for samples of a model or for answers of a person: the message says what is at stake.",
      remedy: "Take it out of `allows` of the server, if it is not meant."
    },
    SWEEP_DUE: {
      cause:
        "A program was killed before it cleared up after a command, or the journal by which that is done cannot be used.",
      remedy:
        "Run a command, which clears up first; where the entry cannot be read, look through the tree, and delete it."
    },
    HOST_NOT_REQUIRED: {
      cause:
        "What an MCP server with a `url` requires does not let it be reached at its own address, so that every call fails.",
      remedy: "Add the grant that the message names to its `requires`."
    },
    WRITES_UNSEEN: {
      cause:
        "An MCP server requires `fs.write` where it requires no `fs.read`. A process is shown only what it may read, so that it writes nothing there.",
      remedy: "Add the `fs.read` that the message names to its `requires`, or take the `fs.write` out."
    },
    SERVER_NOT_ACCEPTED: {
      cause:
        "The lock has no tool of an MCP server. What a server says of its tools is a stranger's, and is offered to nobody before somebody has accepted it.",
      remedy: "Run `bailiwick manifest`, and look at what it writes into `bailiwick.lock.json`."
    },
    FLOOR_CLOSED: {
      cause:
        "An entry names a path that no policy opens: credentials, state, policy, or code that is loaded.",
      remedy: "Delete the entry; keep what tools need elsewhere."
    },
    FLOOR_LIFTED: {
      cause: "An entry names exactly what runs later by itself, and so lets tools change it.",
      remedy:
        "Narrow it to the files that are meant, or delete it; look at what is written there before it runs."
    },
    WRITES_AUTHORITY: {
      cause: "Somebody may write where records, personalities or the workspace are kept.",
      remedy: "Narrow the grant to directories that hold no authority."
    },
    RUNS_OVER_AUTHORITY: {
      cause:
        "Somebody may run commands in or above where authority is written, and the kernel does not hold them.",
      remedy:
        "Have the commands run in a directory that holds no authority, or held: see `CHILDREN_NOT_HELD`."
    },
    COMMAND_OPEN: {
      cause: "A pattern has a wildcard in its first word and leaves open which command it is.",
      remedy: "Name the command, as in `git:*` or `git log *`."
    },
    HOSTS_OF_ANYBODY: {
      cause: "A pattern covers a whole public suffix, below which anybody can have a host.",
      remedy: "Name the domains below it, as in `*.example.com`."
    },
    GRANTS_TO_ANYBODY: {
      cause: "An `agent.grant` without an id lets the agent pass on what it holds to any other.",
      remedy: "Name the agent, as in `agent.grant{id=agents/helper}`."
    },
    PROVIDER_OPENS_NOTHING: {
      cause:
        "A `provider.` grant names a tool that no provider has, that runs here, or that `net.get` scopes.",
      remedy: "Write the name of the tool, `net.get` with hosts, or take the grant out."
    },
    SKILL_SHADOWED: {
      cause: "Two skills have one name, and one of them is not used.",
      remedy: "Rename one of them."
    },
    WIDE_OPEN: {
      cause: "A personality leaves hosts, files or commands without limit.",
      remedy: "Name the hosts, directories and commands that it is for."
    },
    ALLOWS_EVERYTHING: {
      cause: "A personality leaves hosts, files and commands without limit.",
      remedy: "Name the hosts, directories and commands that it is for."
    },
    TOOL_UNKNOWN: {
      cause: "A toolset has a name that no tool has.",
      remedy: "Write the name as `bailiwick tools list` shows it, or delete it."
    },
    TOOL_LEFT_NOTHING: {
      cause: "A toolset names a tool, and the rest of the personality leaves it nothing of what it declares.",
      remedy: "Allow something of what the tool declares, or take it out of the toolset."
    },
    TOOL_OFFERED_TO_NOBODY: {
      cause: "No agent and no personality may call a tool that is registered.",
      remedy: "Grant what it declares to one of them, or do not register it."
    },
    TOOLS_NOT_LOADED: {
      cause:
        "A module under `tools:` in `bailiwick.yaml` cannot be used, and commands that load tools stop at it.",
      remedy: "Do what the message says, or take the module out of `tools:`."
    },
    DECLARATION_UNUSED: {
      cause:
        "A tool of the workspace declares something that it was never seen to ask for, in as many calls as the audit log has of it.",
      remedy: "Declare less; what is needed seldom may stay."
    },
    SECRET_MISSING: {
      cause: "A tool declares, or a personality allows, a secret that no source has.",
      remedy: "Set it in the environment or in `.env`, or take it out."
    },
    SECRETS_FAILED: {
      cause: "The sources of secrets could not be asked.",
      remedy: "Mend the file that the message speaks of; until then its secrets are not there."
    },
    SANDBOX_MISSING: {
      cause: "The program that holds child processes on this platform is not installed.",
      remedy: "Install it with the command that the message gives."
    },
    SANDBOX_UNUSABLE: {
      cause:
        "The program that holds child processes is there and cannot be used: it is too old, setuid or replaceable, or the kernel or a container forbids what it does.",
      remedy: "Do what the message says; the doctor starts a sandbox to find out."
    },
    SANDBOX_UNSUPPORTED: {
      cause: "There is no sandbox for this platform, and commands run without one.",
      remedy: "Grant `proc.*` only to whom the machine may be trusted."
    },
    CHILDREN_NOT_HELD: {
      cause:
        "Somebody may run commands that the kernel does not hold: `sandbox: off` is written, or it is only `preferred` and nothing holds them here.",
      remedy: "Write `sandbox: required`, or delete the line: that is the default."
    }
  }
})

import { AgentsError } from "../../capabilities/agents/AgentsOperations.js"
import { RecordsError } from "../../capabilities/records/RecordsOperations.js"
import { deniedOf } from "./denied.js"
import { topic } from "./topic.js"

const ofRecords = RecordsError.fields.code.literals
const ofAgents = AgentsError.fields.code.literals

export const records = topic({
  title: "Records and agents",
  about:
    "Records that are refused or cannot be used. One of class `agent` is reached through `agent.*` only.",
  surfaces: {
    RecordsError: ofRecords,
    AgentsError: ofAgents,
    Denial: deniedOf([...ofRecords, ...ofAgents])
  },
  words: {
    RECORD_NOT_REACHABLE: {
      cause: "The verb is not held for records of that class and path.",
      remedy: "Grant `records.<verb>` with the class or path that the denial names."
    },
    RECORD_NOT_FOUND: {
      cause: "There is no record of that id, or none that may be seen.",
      remedy: "Use an id that `list_records` or `search_records` shows."
    },
    RECORD_EXISTS: {
      cause: "There is a record of that id already.",
      remedy: "Update it, or choose another id."
    },
    RECORD_INVALID: {
      cause: "The id, the front matter, the text or the query is not one that a record can have.",
      remedy: "Correct what the message names; an id is words between slashes, without `.md`, `.` and `..`."
    },
    RECORD_CHANGED: {
      cause: "Somebody else has changed the record since it was read.",
      remedy: "Read it again, and make the change anew."
    },
    RECORDS_UNAVAILABLE: {
      cause:
        "What keeps the records is not there: PostgreSQL cannot be reached, or does not let the program in.",
      remedy:
        "Start it, or correct what the sentence says; until then calls that need it answer `not_available`."
    },
    RECORDS_FENCED: {
      cause: "Another runner has taken over the work of this one, which was taken for dead.",
      remedy: "Call again: the runner that took over answers. Nothing was written."
    },
    RECORDS_FAILED: {
      cause:
        "The directory of records could not be read or written: rights, space, or another program at work.",
      remedy: "Look at the directory as the user that runs the program, and try again."
    },
    AGENT_NOT_REACHABLE: {
      cause: "The verb is not held for that agent; `records.*` does not reach agents.",
      remedy:
        "Grant `agent.<verb>` for the agent; a change of `capabilities`, `access` or `sandbox` needs `agent.grant`."
    },
    AGENT_NOT_FOUND: {
      cause: "There is no agent of that id.",
      remedy: "Use the whole id, as in `agents/scout`, or create the agent first."
    },
    AGENT_EXISTS: {
      cause: "There is an agent or another record of that id already.",
      remedy: "Update it, or choose another id."
    },
    AGENT_INVALID: {
      cause: "The id, a grant or the front matter is not one that an agent can have.",
      remedy:
        "Correct what the message names; grants are those of the catalog, each with a scope that it takes."
    },
    AGENT_CHANGED: {
      cause: "Somebody else has changed the agent since it was read.",
      remedy: "Read it again, and make the change anew."
    },
    AGENTS_UNAVAILABLE: {
      cause:
        "What keeps the records is not there: PostgreSQL cannot be reached, or does not let the program in.",
      remedy:
        "Start it, or correct what the sentence says; until then calls that need it answer `not_available`."
    },
    AGENTS_FENCED: {
      cause: "Another runner has taken over the work of this one, which was taken for dead.",
      remedy: "Call again: the runner that took over answers. Nothing was written."
    },
    AGENTS_FAILED: {
      cause:
        "The directory of records could not be read or written: rights, space, or another program at work.",
      remedy: "Look at the directory as the user that runs the program, and try again."
    },
    SELF_MODIFICATION: {
      cause: "An agent tried to change its own authority, or to delete itself.",
      remedy: "Have the operator do it, with `bailiwick agents grant` or `revoke`; no grant allows it."
    },
    EXCEEDS_GRANTOR_AUTHORITY: {
      cause: "An agent tried to pass on a grant of which it does not hold the whole scope.",
      remedy: "Pass on less, or have the operator grant to the granter first what the denial names."
    }
  }
})

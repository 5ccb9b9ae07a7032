import { adapterCodes, clusterCodes, gatewayCodes, isolatedCodes } from "./EdgeCodes.js"
import { topic } from "./topic.js"

export const gateway = topic({
  title: "MCP servers",
  about: "Servers of others that cannot be started, or do not answer as they should.",
  surfaces: { GatewayError: gatewayCodes },
  words: {
    SERVER_NOT_CONFIGURED: {
      cause: "No server of that name is configured.",
      remedy: "Call a tool of the menu, or add the server with `bailiwick tools mcp add`."
    },
    SERVER_NOT_STARTED: {
      cause:
        "The server could not be started or reached, or failed again and again and waits before the next try.",
      remedy: "Do what the message says: install its command, name its code, or look at the server."
    },
    SERVER_ENDED: {
      cause: "The server died during the call. Its last words are quoted.",
      remedy: "Call again: it is started anew."
    },
    SERVER_TIMED_OUT: {
      cause: "The server did not answer after its start, or reads nothing.",
      remedy: "Look at the server."
    },
    SERVER_MALFORMED: {
      cause: "The server does not follow the protocol, or says more than is taken from it.",
      remedy: "Look at the server; another version of it may do better."
    },
    SERVER_REFUSED: {
      cause: "The server answered the call with an error, which is quoted.",
      remedy: "Send other arguments."
    },
    TOOL_FAILED: {
      cause: "The tool of the server says that it failed. Its words are quoted.",
      remedy: "Do as its words say, if you trust them."
    }
  }
})

export const isolated = topic({
  title: "Isolated tools",
  about:
    "Tools in processes of their own that did not run to their end, or modules that cannot be made such tools.",
  surfaces: { IsolatedError: isolatedCodes },
  words: {
    WORKER_ENDED: {
      cause: "The process of the tool is gone: it exited, met a limit, or did not stop when it was told to.",
      remedy: "Look at the tool: it may need more memory, or exit by itself. Other calls go on."
    },
    WORKER_MISBEHAVED: {
      cause: "The process of the tool said or asked for what no worker does, and was ended.",
      remedy: "Do not trust the module: honest code does not come to this."
    },
    MODULE_NOT_LOADED: {
      cause: "The module cannot be read, bundled or started.",
      remedy:
        "Do what the message says: install `esbuild`, compile the module, or mend what it does when it is loaded."
    },
    DESCRIPTION_REFUSED: {
      cause:
        "What the module says of its tools is malformed, too long, hides something, or differs from what was accepted.",
      remedy: "Look at the tool that the message names; accept the change if you agree to it."
    },
    SERVICE_NOT_SERIALISABLE: {
      cause: "A tool lists an application service that cannot be served across processes.",
      remedy: "Give the tag `operations` and give it to the toolkit, or do not isolate the tool."
    },
    NOT_HELD: {
      cause: "The kernel cannot hold a process here, and isolated tools must be held.",
      remedy: "Install what the message names, or let a policy say `sandbox: preferred`."
    }
  }
})

export const adapters = topic({
  title: "Adapters",
  about:
    "Platforms that nothing can be received from. What is wrong with one file of a message is a note in the message.",
  surfaces: { AdapterError: adapterCodes },
  words: {
    SETTING_INVALID: {
      cause: "An option of the adapter is not what it must be, or what it needs is not installed.",
      remedy: "Correct the option that the message names, or install what it names."
    },
    SECRET_MISSING: {
      cause: "The secrets backend has no value for the ref of a token.",
      remedy: "Put the token where the secrets backend looks, under that ref."
    },
    PLATFORM_REFUSED: {
      cause: "The platform refused a request, or cannot be reached.",
      remedy: "Look at what the platform says: the token may be wrong, or no longer valid."
    },
    MESSAGE_INVALID: {
      cause: "What should be a mail is none, or is no regular file.",
      remedy: "Name a regular file that is no link."
    }
  }
})

export const cluster = topic({
  title: "Clusters",
  about:
    "Turns on other machines. Three of these are in the answers of calls, for a client starts without PostgreSQL; the others keep a client or a runner from starting, or end it.",
  surfaces: { ClusterError: clusterCodes },
  words: {
    KEY_MISSING: {
      cause: "A key of the cluster cannot be read from the secrets backend, or has fewer than 32 characters.",
      remedy: "Give all clients and runners the same long random value, under the ref that the message names."
    },
    STORE_UNREACHABLE: {
      cause:
        "PostgreSQL does not answer, does not let the cluster in, or gives it fewer connections than it needs.",
      remedy:
        "Start it, or do what the message says; a runner and a client find it by themselves when it is there."
    },
    STORE_NEWER: {
      cause: "A newer version of the program has made the tables of the cluster.",
      remedy: "Update this program."
    },
    CLUSTER_DIFFERS: {
      cause:
        "The runners that are there have another key, encryption, number of shards or time of silence than this process.",
      remedy: "Give all processes of a cluster the same, and each cluster a database of its own."
    },
    ADDRESS_TAKEN: {
      cause: "A runner cannot listen where it is told to, or nobody would reach it there.",
      remedy: "Choose another port, end what listens there, or name the address by which others reach it."
    },
    MESSAGE_REFUSED: {
      cause: "A message is forged, altered, too old, not encrypted where it must be, or of another version.",
      remedy: "Give client and runners the same keys and the same version, and set their clocks right."
    },
    POLICY_DIFFERS: {
      cause: "A runner has another revision of the policy than the turn was made under.",
      remedy: "Bring the records and personalities of all machines to the same state, at the same paths."
    },
    RUNNER_FENCED: {
      cause: "A runner was silent for too long, or another has its address, and has taken over its sessions.",
      remedy: "Start it again. If it happens often, raise 'silence', or give the machine more room."
    }
  }
})

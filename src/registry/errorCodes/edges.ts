import { adapterCodes, gatewayCodes } from "./EdgeCodes.js"
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

import { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import { deniedOf } from "./denied.js"
import { topic } from "./topic.js"

const codes = NetworkError.fields.code.literals

export const network = topic({
  title: "Network",
  about: "Requests that are refused or fail.",
  surfaces: { NetworkError: codes, Denial: deniedOf(codes) },
  words: {
    HOST_NOT_ALLOWED: {
      cause:
        "The tool does not declare the host, the policy does not allow it, or it is one that no policy allows.",
      remedy:
        "Declare the host and have the policy allow it; `denial.remedy` is the grant to write, if one helps."
    },
    METHOD_NOT_ALLOWED: {
      cause: "The host is held for other methods than this one, or the method is one that is always refused.",
      remedy:
        "Use a method that is held, or grant this one: PATCH needs `net.put`, HEAD and OPTIONS need `net.get`."
    },
    URL_INVALID: {
      cause: "What was requested is not an absolute http or https URL, or holds a user name.",
      remedy: "Write the whole URL, and send credentials in a header."
    },
    ADDRESS_NOT_ALLOWED: {
      cause:
        "The host is at a private or loopback address that the policy does not name, or at an address or port that is always refused.",
      remedy:
        "Name the endpoint in `safety.network.private` or `private_hosts`, as in `127.0.0.1:8080`; link-local and metadata addresses cannot be named."
    },
    REDIRECT_REFUSED: {
      cause:
        "The server redirects to where the tool may not go, too often, with a body that would leave its origin, or to no URL.",
      remedy: "Request where the redirect leads, if the tool may; the denial says what stands in the way."
    },
    HEADER_REFUSED: {
      cause:
        "A header is malformed, too long, or would change the connection, the method or the URL that was permitted.",
      remedy: "Leave the header out, or say the same with the request itself."
    },
    SEAL_REFUSED: {
      cause:
        "The token of a sealed secret stands where the secret may not go: another host or place than those declared, without https, with a `Range`, or it is no token of this tool in this turn.",
      remedy:
        "Send it to a declared host in a declared place, over https, and take it with `Secrets.sealed` in the call that sends it; to send it elsewhere, declare that host or place."
    },
    LIMIT_EXCEEDED: {
      cause: "The request or its answer is too long, takes too long, or waits behind too many others.",
      remedy: "Ask for less or send fewer at a time, or raise the limit that the message names."
    },
    STATUS_NOT_OK: {
      cause: "The server answered with a status that is not a success.",
      remedy: "Look at the status and what was asked for; use `request` where any status is an answer."
    },
    DECODE_FAILED: {
      cause: "The answer is not JSON, not of the expected shape, or not compressed as it says.",
      remedy: "Read it as text to see what it is, or correct the schema."
    },
    REQUEST_FAILED: {
      cause:
        "The name could not be resolved, the connection failed or broke, or the request cannot be sent as it is.",
      remedy:
        "Check the name and that the server is there, and try again; the message holds the code of the cause."
    }
  }
})

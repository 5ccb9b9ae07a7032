import { Reason } from "../../policy/lattice/Denial.js"
import { Code } from "../ToolResult.js"
import { onlyDenied } from "./denied.js"
import { topic } from "./topic.js"

export const results = topic({
  title: "Results of calls",
  about: "The `code` of a call that has no value. `error` is the sentence behind it.",
  surfaces: { ToolResult: Code.literals },
  words: {
    input_invalid: {
      cause: "The arguments of the call are not what the parameters of the tool say.",
      remedy: "Send arguments that fit its JSON Schema; the error names those that do not."
    },
    not_available: {
      cause:
        "The tool cannot be called here: there is none of that name, the policy or the surface does not offer it, it says that it cannot work, or a capability that it declares has no backend.",
      remedy: "Do what `denial.remedy` says; without a denial, provide the backend that the error names."
    },
    execution_failed: {
      cause: "The tool ran and failed, or was refused something.",
      remedy:
        "Look up the code that the error starts with; `denial.remedy` says what would lift a refusal, and what has neither comes from the tool itself."
    },
    timeout: {
      cause: "The tool did not finish within its deadline, and was interrupted.",
      remedy: "Give it less to do, or a longer `deadline` on the tool or on the turn."
    },
    interrupted: {
      cause: "The call, its batch or its turn was cancelled before it ended.",
      remedy: "Call again; what the call had done by then is not undone."
    }
  }
})

export const reasons = topic({
  title: "Reasons of denials",
  about: "The `reason` of a denial: what kind of refusal it is. Its `code` says what was refused.",
  surfaces: { "Denial.reason": Reason.literals },
  words: {
    capability_absent: {
      cause: "Nothing of the capability is held, or the tool is not offered.",
      remedy: "Have the operator grant what `denial.remedy` says, or use another tool."
    },
    scope_violation: {
      cause:
        "The capability is granted, and what was asked for lies outside of its scope, or is refused by every policy.",
      remedy: "Compare `denial.asked` with `denial.held`, and ask for what is held or have it widened."
    },
    self_modification: {
      cause: "An agent tried to change what it may do itself, or to delete itself.",
      remedy: "Have the operator do it; no grant allows it."
    },
    exceeds_grantor_authority: {
      cause: "An agent tried to pass on more than it holds.",
      remedy: "Pass on less, or have the operator grant the rest to the granter first."
    },
    unknown_tool: {
      cause: "No tool of that name is registered.",
      remedy: "Call a tool of the menu."
    }
  }
})

export const offers = topic({
  title: "Tools that are not offered",
  about:
    "Denials of a call before anything runs or after it has ended, and of tools that are left out of a request to a provider.",
  surfaces: { Denial: onlyDenied },
  words: {
    CALL_ENDED: {
      cause:
        "A tool used a service after the call that it was given to had ended, or another tool's service.",
      remedy: "Wait inside the call for what it starts, and keep no service beyond it."
    },
    UNKNOWN_TOOL: {
      cause: "No tool of that name is registered.",
      remedy: "Call a tool of the menu; `bailiwick tools list` shows them all."
    },
    TOOL_EXCLUDED: {
      cause: "The tool is registered, and this surface does not offer it.",
      remedy: "Call another tool, or take the name out of the `exclude` of the turn."
    },
    TOOL_NOT_PERMITTED: {
      cause:
        "The policy lists the tools, plugins or servers that may be called, and this tool is of none of them.",
      remedy: "Add the tool to the toolset, or its plugin or server to theirs."
    },
    TOOL_WITHHELD: {
      cause:
        "The MCP server of the tool says another description, schema or hint than was accepted, or has the tool no more.",
      remedy: "Look at what changed, and accept it with `bailiwick manifest`."
    },
    REQUIREMENT_NOT_HELD: {
      cause: "The MCP server of the tool requires more than is held, or it is not known what it requires.",
      remedy: "Grant all that the server requires, or write its `requires`."
    },
    INQUIRY_NOT_ALLOWED: {
      cause:
        "An MCP server asks for roots, sampling or elicitation, or for something else, and is not allowed to.",
      remedy: "Write what it may ask for under `allows` of the server, and run `bailiwick manifest`."
    },
    INQUIRY_UNANSWERED: {
      cause:
        "An MCP server asks for sampling or elicitation, as it may, and nobody is there who answers that.",
      remedy:
        "Call it on a terminal or from a client of `bailiwick mcp serve` that answers such; in a program, give `answering`."
    },
    INQUIRY_TOO_MUCH: {
      cause: "An MCP server asks too often in one call, too much at once, or at too great length.",
      remedy: "Look at the server; `limits` of `McpGateway.layer` sets how much."
    },
    PROVIDER_TOOL_NOT_ALLOWED: {
      cause:
        "A tool that runs at the provider is left out of the request, because what it needs is not granted.",
      remedy:
        "Grant what the denial names: `net.get` with hosts for a tool that can be held to them, `provider.<name>` for one that cannot."
    },
    PROVIDER_SCOPE_NOT_EXPRESSIBLE: {
      cause:
        "A tool that runs at the provider is left out of the request, because the provider has no words for the scope that is granted.",
      remedy: "Grant a scope that the provider can be told, as the denial says, or use a tool that runs here."
    }
  }
})

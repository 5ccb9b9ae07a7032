/** The tools that providers run, as data. */
import * as Authority from "../lattice/Authority.js"
import { HostSet } from "../lattice/HostSet.js"
import { domains, make, type Translate } from "./model.js"

const anyHost = Authority.make({ network: { get: HostSet.all } })

/**
 * @since 0.1.0
 * @category models
 */
export interface DomainLists {
  readonly allowed_domains?: ReadonlyArray<string>
  readonly blocked_domains?: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface DomainFilters {
  readonly filters?: { readonly allowed_domains: ReadonlyArray<string> }
}

const domainLists: Translate<DomainLists> = domains<DomainLists>({
  open: {},
  allow: (allowed_domains) => ({ allowed_domains }),
  block: (blocked_domains) => ({ blocked_domains })
})

/**
 * What Anthropic runs. The web tools are of the versions that only search and fetch: later ones also run code, which
 * is more than `net.get`.
 *
 * @since 0.1.0
 * @category catalog
 */
export const anthropic = {
  webSearch: make({
    provider: "anthropic",
    name: "web_search",
    type: "web_search_20250305",
    description: "searches the web, and reads what it finds",
    needs: anyHost,
    translate: domainLists
  }),
  webFetch: make({
    provider: "anthropic",
    name: "web_fetch",
    type: "web_fetch_20250910",
    description: "fetches pages and documents whose address stands in the conversation",
    needs: anyHost,
    translate: domainLists
  }),
  codeExecution: make({
    provider: "anthropic",
    name: "code_execution",
    type: "code_execution_20250825",
    description: "runs commands and code in a container of the provider"
  }),
  mcpToolset: make({
    provider: "anthropic",
    name: "mcp_toolset",
    description: "calls the tools of remote MCP servers, with the credentials in the request"
  })
} as const

/**
 * What OpenAI runs.
 *
 * @since 0.1.0
 * @category catalog
 */
export const openai = {
  webSearch: make({
    provider: "openai",
    name: "web_search",
    description: "searches the web, and reads what it finds",
    needs: anyHost,
    translate: domains<DomainFilters>({
      open: {},
      allow: (allowed_domains) => ({ filters: { allowed_domains } }),
      limit: 100
    })
  }),
  webSearchPreview: make({
    provider: "openai",
    name: "web_search_preview",
    description: "searches the web, and takes no list of domains"
  }),
  fileSearch: make({
    provider: "openai",
    name: "file_search",
    description: "searches the vector stores that the request names"
  }),
  codeInterpreter: make({
    provider: "openai",
    name: "code_interpreter",
    description: "runs Python in a container of the provider"
  }),
  imageGeneration: make({
    provider: "openai",
    name: "image_generation",
    description: "makes and edits images"
  }),
  mcp: make({
    provider: "openai",
    name: "mcp",
    description: "calls the tools of remote MCP servers and connectors, with the credentials in the request"
  })
} as const

/**
 * Tools that a provider only defines and that run here, in a handler of the host's own. They are held like every tool
 * that runs here, by what their handler declares, and are no provider tools.
 *
 * @since 0.1.0
 * @category catalog
 */
export const runHere: ReadonlyArray<{ readonly provider: string; readonly name: string }> = [
  ...["bash", "computer", "memory", "str_replace_based_edit_tool", "str_replace_editor"].map((name) => ({
    provider: "anthropic",
    name
  })),
  ...["apply_patch", "computer_use_preview", "local_shell", "shell"].map((name) => ({
    provider: "openai",
    name
  }))
]

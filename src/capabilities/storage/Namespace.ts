/** Who shares a store with whom. */
import { type Origin, ownerOf } from "../../policy/ToolOrigin.js"
import type { Storage } from "./Storage.js"

/** What tools keep for one session, and what goes when it ends. */
export const sessionNamespace = (session: string): string => `session:${session}`

/** Computed here and nowhere else: a tool does not choose who it shares a store with. */
export const namespaceOf = (
  scope: Storage.Scope,
  { origin, tool }: { readonly tool: string; readonly origin: Origin },
  { personality, session }: { readonly session: string; readonly personality?: string | undefined }
): string => {
  if (scope === "tool-private") return ownerOf(tool, origin)
  return scope === "personality" && personality !== undefined
    ? `personality:${personality}`
    : sessionNamespace(session)
}

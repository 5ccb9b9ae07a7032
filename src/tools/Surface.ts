/** A declaration in words, one line for each category and direction. */
import type { Capabilities } from "../capabilities/Capabilities.js"

export const surfaceOf = ({
  network,
  secrets,
  storage,
  fs_reach,
  process,
  attachments,
  records,
  agents
}: Capabilities): ReadonlyArray<string> => {
  const line = (
    label: string,
    items: ReadonlyArray<string> | string | undefined,
    scope?: ReadonlyArray<string>
  ) => {
    if (items === undefined) return []
    const words = typeof items === "string" ? items : items.length === 0 ? "nothing" : items.join(", ")
    return [`${label}: ${words}${scope === undefined ? "" : ` (${scope.join(", ")})`}`]
  }
  return [
    ...line("network", network?.allowedHosts),
    ...line("secrets", secrets),
    ...line("storage", storage?.scope),
    ...line("fs_reach.read", fs_reach?.read),
    ...line("fs_reach.write", fs_reach?.write),
    ...line("process", process?.allowedBinaries),
    ...line("attachments", attachments?.kinds),
    ...line("records", records?.verbs, records?.classes),
    ...line("agents", agents?.verbs, agents?.ids)
  ]
}

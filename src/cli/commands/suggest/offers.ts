/** Which of the tools that were called would not be offered any more, though no decision would come out differently. */
import { Either } from "effect"
import type { Capability } from "../../../policy/lattice/Facets.js"
import type { Policy } from "../../../policy/Policy.js"
import { lackingOf } from "../../../registry/Plan.js"
import * as Resolution from "../../../registry/Resolution.js"
import { builtins } from "../../../tools/builtin/index.js"
import type * as Tool from "../../../tools/Tool.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { lockIn } from "../../workspace/Lock.js"

type Declared = Pick<Tool.Any, "capabilities" | "needs">

/** Those that come along, and those of the lock: nothing of the workspace is loaded for it. */
const declaredIn = ({ workspace }: Setting): ReadonlyMap<string, Declared> => {
  const lock = workspace === undefined ? undefined : Either.getOrUndefined(lockIn(workspace.root).read)
  const locked = [...(lock?.tools ?? [])].map(
    ([name, { capabilities }]) => [name, { capabilities, needs: undefined }] as const
  )
  return new Map<string, Declared>([...locked, ...builtins.map((tool) => [tool.name, tool] as const)])
}

const lacking = (policy: Policy, tool: Declared, { home }: Setting): ReadonlyArray<Capability> =>
  Either.match(Resolution.authority(policy, tool.capabilities, home === undefined ? {} : { home }), {
    onLeft: () => [],
    onRight: (authority) => lackingOf(policy, tool, authority)
  })

/** In a sentence each. */
export const unoffered = (
  before: Policy,
  after: Policy,
  called: Iterable<string>,
  setting: Setting
): ReadonlyArray<string> => {
  const declared = declaredIn(setting)
  return [...called].sort().flatMap((name) => {
    const tool = declared.get(name)
    if (tool === undefined || lacking(before, tool, setting).length > 0) return []
    const lost = lacking(after, tool, setting)
    return lost.length === 0
      ? []
      : [
          `${name} would not be offered any more: nothing would be held of ${lost.join(" or ")}, which it needs`
        ]
  })
}

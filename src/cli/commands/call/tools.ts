/** The tools that may be called: the one place that says where they come from. */
import * as Registry from "../../../registry/Registry.js"
import { builtins } from "../../../tools/builtin/index.js"
import type { Surroundings } from "../../Surroundings.js"
import type { Setting } from "../../workspace/LoadPersonality.js"

export type ToolsOf = (setting: Setting, around: Surroundings) => Promise<Registry.Registry>

const registry = Registry.make(...builtins)

export const toolsOf: ToolsOf = async () => registry

/** The tools that may be called: the one place that says where they come from. */
import * as Registry from "../../../registry/Registry.js"
import { builtins } from "../../../tools/builtin/index.js"

const registry = Registry.make(...builtins)

export const toolsOf = async (): Promise<Registry.Registry> => registry

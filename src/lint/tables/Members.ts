/** What is fine in part: whose members are looked at one by one. */
import { byName, words } from "./lists.js"
import type { Remedy } from "./Remedy.js"

export interface Members {
  /** Members that have a reason of their own. */
  readonly touching: ReadonlyMap<string, Remedy>
  readonly harmless: ReadonlySet<string>
  /** For members in neither; nothing where those are fine. */
  readonly otherwise?: Remedy
}

const members = (
  touching: Partial<Record<Remedy, string>>,
  harmless: string,
  otherwise?: Remedy
): Members => ({
  touching: new Map(byName(touching)),
  harmless: new Set(words(harmless)),
  ...(otherwise === undefined ? {} : { otherwise })
})

export const processMembers = members(
  {
    secrets: "env loadEnvFile",
    process: "kill",
    output: "stdin stdout stderr",
    code: "binding _linkedBinding dlopen getBuiltinModule mainModule _load"
  },
  `arch platform version versions release features hrtime nextTick uptime memoryUsage cpuUsage resourceUsage emitWarning
  allowedNodeEnvironmentFlags config title then`,
  "host"
)

export const moduleMembers = members(
  {},
  "createRequire builtinModules isBuiltin SourceMap findSourceMap stripTypeScriptTypes then",
  "code"
)

export const navigatorMembers = members(
  {},
  "userAgent userAgentData language languages hardwareConcurrency platform onLine deviceMemory",
  "network"
)

export const importMetaMembers = members({ secrets: "env", code: "glob" }, "")

export const requireMembers = members(
  { code: "main cache extensions call apply bind _load" },
  "resolve",
  "code"
)

/** The variable `module` of CommonJS. */
export const commonJsMembers = members(
  {},
  "exports id filename path paths loaded isPreloading require hot",
  "code"
)

/**
 * A plugin for ESLint 9 and 10 and for oxlint. Its rule finds what goes around the capabilities of a tool.
 *
 * @since 0.1.0
 */
import { noAmbientAuthority } from "./noAmbientAuthority.js"
import type { Config, Options, Plugin, Rule } from "./Plugin.js"

export type { Config, Options, Plugin, Rule }

const base: Omit<Plugin, "configs"> = {
  meta: { name: "bailiwick", version: "0.1.0" },
  rules: { "no-ambient-authority": noAmbientAuthority }
}

/**
 * The plugin, with the configuration `recommended`.
 *
 * @since 0.1.0
 * @category plugins
 */
const plugin: Plugin = {
  ...base,
  configs: {
    recommended: {
      name: "bailiwick/recommended",
      plugins: { bailiwick: base },
      rules: { "bailiwick/no-ambient-authority": "error" }
    }
  }
}

export default plugin

/** The files of a new workspace, by their path in it. */
import { agent, gitignore, personality, workspace } from "./policy.js"
import { eslint, packageJson, readme, tsconfig } from "./project.js"
import { index, test, tool } from "./tool.js"

export interface Written {
  readonly path: string
  readonly text: string
}

/** `bailiwick.yaml` comes last: until then there is no workspace. */
export const filesFor = (directory: string): ReadonlyArray<Written> => [
  { path: "tools/fetch_weather.js", text: tool },
  { path: "tools/index.js", text: index },
  { path: "test/fetch_weather.test.js", text: test },
  { path: "records/agents/scout.md", text: agent },
  { path: "personalities/forecaster/config.yaml", text: personality },
  { path: "package.json", text: packageJson(directory) },
  { path: "eslint.config.js", text: eslint },
  { path: "tsconfig.json", text: tsconfig },
  { path: ".gitignore", text: gitignore },
  { path: "README.md", text: readme },
  { path: "bailiwick.yaml", text: workspace }
]

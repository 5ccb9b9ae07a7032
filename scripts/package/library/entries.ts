import { readManifest, root } from "../../lib/project.js"

/** The modules that users import, as paths below `src` without their ending: `index`, `testing/index`, … */
export const entries = (): ReadonlyArray<string> =>
  Object.values(readManifest(root).exports).flatMap((target) => {
    const source = typeof target === "string" ? undefined : target["bailiwick-source"]
    return source === undefined ? [] : [source.replace(/^\.\/src\/|\.ts$/g, "")]
  })

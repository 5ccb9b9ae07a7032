/** The command line from its sources. What is installed starts at `bundled.ts`. */
import { readFileSync } from "node:fs"
import { start } from "./entry.js"

const version = (): string =>
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version

await start(process.argv.slice(2), version, () => import("./program.js"))

/**
 * `npm run bench`, or `npm run bench -- files network`: each bench is bundled, so that what is timed is what a bundler
 * or the compiler would give and not the additions of a loader, and run in a process of its own.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { build } from "esbuild"
import { root, scratch, withFolder } from "./lib/project.js"

const BENCHES = [
  "lattice",
  "registry",
  "forks",
  "heap",
  "files",
  "network",
  "sandboxNetwork",
  "process",
  "sandbox",
  "gateway",
  "isolated",
  "survey",
  "storage",
  "audit",
  "records",
  "agents",
  "adapters",
  "startup",
  "mcp",
  "mcpStart",
  "page",
  "cluster"
]

const asked = process.argv.slice(2)
const unknown = asked.find((name) => !BENCHES.includes(name))
if (unknown !== undefined) {
  console.error(`there is no bench ${unknown}; there are ${BENCHES.join(", ")}`)
  process.exit(2)
}

await withFolder(scratch, async (folder) => {
  for (const name of asked.length === 0 ? BENCHES : asked) {
    const outfile = join(folder, `${name}.mjs`)
    await build({
      entryPoints: [join(root, "bench", `${name}.ts`)],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      conditions: ["bailiwick-source"],
      alias: {
        bailiwick: join(root, "src/index.ts"),
        "bailiwick/cluster": join(root, "src/cluster/index.ts"),
        "bailiwick/postgres": join(root, "src/postgres/index.ts"),
        "bailiwick/mcp": join(root, "src/mcp/index.ts"),
        "bailiwick/node": join(root, "src/layers/node/index.ts")
      },
      logLevel: "error"
    })
    const child = spawn(process.execPath, ["--expose-gc", outfile], { stdio: "inherit", cwd: root })
    const [code] = await once(child, "exit")
    if (code !== 0) process.exitCode = 1
  }
})

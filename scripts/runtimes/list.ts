/** The runtimes that the package is tried on, and the npm packages that hold their binaries. */
import { join } from "node:path"

export interface Machine {
  readonly platform: string
  readonly arch: string
}

export interface Runtime {
  readonly name: string
  /** The package with the binary for a machine; none where nobody publishes one. */
  readonly package: (machine: Machine) => string | undefined
  readonly version: string
  /** The binary in its package. */
  readonly binary: (machine: Machine) => string
}

const executable = ({ platform }: Machine, name: string): string =>
  join("bin", platform === "win32" ? `${name}.exe` : name)

const nodePlatforms: ReadonlyMap<string, string> = new Map([
  ["linux", "linux"],
  ["darwin", "darwin"],
  ["win32", "win"]
])

const nodeOf = (version: string): Runtime => ({
  name: "Node",
  version,
  package: ({ arch, platform }) => {
    const system = nodePlatforms.get(platform)
    return system === undefined ? undefined : `node-${system}-${arch}`
  },
  binary: (machine) => executable(machine, "node")
})

const bunPlatforms: ReadonlyMap<string, string> = new Map([
  ["linux", "linux"],
  ["darwin", "darwin"],
  ["win32", "windows"]
])

const bunArchitectures: ReadonlyMap<string, string> = new Map([
  ["x64", "x64"],
  ["arm64", "aarch64"]
])

const bunOf = (version: string): Runtime => ({
  name: "Bun",
  version,
  package: ({ arch, platform }) => {
    const [system, processor] = [bunPlatforms.get(platform), bunArchitectures.get(arch)]
    return system === undefined || processor === undefined ? undefined : `@oven/bun-${system}-${processor}`
  },
  binary: (machine) => executable(machine, "bun")
})

/** Beside the Node that runs this. */
export const runtimes: ReadonlyArray<Runtime> = [nodeOf("22.23.3"), nodeOf("24.21.0"), bunOf("1.4.4")]

/** The package as it would be published: built, and packed into a folder. */
import { npm } from "../lib/command.js"

export interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** What was packed, or what went wrong. */
export const packInto = async (folder: string): Promise<Packed | string> => {
  const built = await npm(["run", "--silent", "build"])
  if (!built.ok) return `the build fails:\n${built.output}`
  const packed = await npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder])
  if (!packed.ok) return packed.output
  const [tarball]: ReadonlyArray<Packed> = JSON.parse(packed.stdout)
  return tarball ?? "npm pack made nothing"
}

/** Files behind names such as `#lib/http.js`, which `imports` of the nearest package.json gives a place. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const nearestManifest = (from: string): string | undefined => {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json")
    if (existsSync(manifest)) return manifest
    if (folder === dirname(folder)) return undefined
  }
}

/** The places under every condition: whichever of them is there is looked at. */
const placesOf = (target: unknown): ReadonlyArray<string> => {
  if (typeof target === "string") return target.startsWith("./") ? [target] : []
  return typeof target === "object" && target !== null ? Object.values(target).flatMap(placesOf) : []
}

const matched = (specifier: string, key: string): string | undefined => {
  const [before = "", after] = key.split("*")
  if (after === undefined) return specifier === key ? "" : undefined
  const isLong = specifier.length > before.length + after.length
  return isLong && specifier.startsWith(before) && specifier.endsWith(after)
    ? specifier.slice(before.length, specifier.length - after.length)
    : undefined
}

export const subpathImports = (specifier: string, from: string): ReadonlyArray<string> => {
  const manifest = nearestManifest(from)
  if (manifest === undefined) return []
  const { imports } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly imports?: object }
  return Object.entries(imports ?? {}).flatMap(([key, target]) => {
    const rest = matched(specifier, key)
    return rest === undefined
      ? []
      : placesOf(target).map((place) =>
          join(
            dirname(manifest),
            place.replaceAll("*", () => rest)
          )
        )
  })
}

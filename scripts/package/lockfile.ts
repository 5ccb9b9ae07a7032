interface Entry {
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/**
 * A lock file with addresses in it would send every contributor to one registry. One that lacks the packages of
 * another platform (they are optional, and a registry may not have them yet) makes `npm ci` refuse everywhere.
 */
export const checkLockfile = (text: string): ReadonlyArray<string> => {
  const lock: { readonly packages: Readonly<Record<string, Entry>> } = JSON.parse(text)
  const locked = new Set(
    Object.keys(lock.packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + 13))
  )
  return Object.entries(lock.packages).flatMap(([path, entry]) => [
    ...(entry.resolved === undefined ? [] : [`package-lock.json has an address for ${path}`]),
    ...Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !locked.has(name))
      .map((name) => `package-lock.json lacks ${name}, which ${path} may need on another platform`)
  ])
}

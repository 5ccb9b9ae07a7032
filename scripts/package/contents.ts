/** What the tarball must hold, and what it may hold. */
const required: ReadonlyArray<string> = [
  "package.json",
  "LICENSE",
  "README.md",
  "dist/index.js",
  "dist/types/index.d.ts",
  "dist/types/index.source.ts"
]

const allowed: ReadonlyArray<RegExp> = [
  /^(package\.json|LICENSE|README\.md)$/,
  /^dist\/.+\.js$/,
  /^dist\/types\/[^/]+\.(d\.ts|d\.ts\.map|source\.ts)$/,
  /^dist\/cli\/(packages\.cjs|page\.html|program\.json)$/
]

const forbidden = /\.(test|tst|bench)\.|(^|\/)(\.|~)|\.(tmp|log|tsbuildinfo)$/

/** An editor follows a map to the source, and shows nothing where there is none. */
const sourceOf = (path: string): ReadonlyArray<string> =>
  path.endsWith(".d.ts.map") ? [path.replace(/\.d\.ts\.map$/, ".source.ts")] : []

/** Complaints about the paths of a tarball. Paths that package.json names are required too. */
export const checkContents = (
  paths: ReadonlyArray<string>,
  targets: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const held = new Set(paths)
  const extra = targets.map((target) => target.replace(/^\.\//, ""))
  return [
    ...[...new Set([...required, ...extra, ...paths.flatMap(sourceOf)])]
      .filter((path) => !held.has(path))
      .map((path) => `the tarball lacks ${path}`),
    ...paths
      .filter(
        (path) => forbidden.test(path) || !(allowed.some((rule) => rule.test(path)) || extra.includes(path))
      )
      .map((path) => `the tarball must not hold ${path}`)
  ]
}

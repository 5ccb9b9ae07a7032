/** What the tarball must hold, and what it may hold. */
const required: ReadonlyArray<string> = [
  "package.json",
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "src/index.ts",
  "dist/index.js",
  "dist/index.d.ts"
]

const allowed: ReadonlyArray<RegExp> = [
  /^(package\.json|LICENSE|README\.md|CHANGELOG\.md|SECURITY\.md)$/,
  /^src\/.+\.ts$/,
  /^dist\/.+\.(js|d\.ts)(\.map)?$/,
  /^dist\/cli\/program\.cjs(\.cache)?$/
]

const forbidden = /\.(test|tst|bench)\.|(^|\/)(\.|~)|\.(tmp|log|tsbuildinfo)$/

/** Complaints about the paths of a tarball. Paths that package.json names are required too. */
export const checkContents = (
  paths: ReadonlyArray<string>,
  targets: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const held = new Set(paths)
  const extra = targets.map((target) => target.replace(/^\.\//, ""))
  return [
    ...[...new Set([...required, ...extra])]
      .filter((path) => !held.has(path))
      .map((path) => `the tarball lacks ${path}`),
    ...paths
      .filter(
        (path) => forbidden.test(path) || !(allowed.some((rule) => rule.test(path)) || extra.includes(path))
      )
      .map((path) => `the tarball must not hold ${path}`)
  ]
}

/** The checks of the tarball and the lock file that are our own. */
import { expect, it } from "vitest"
import { checkContents } from "../scripts/package/contents.js"
import { checkLockfile } from "../scripts/package/lockfile.js"

const complete = [
  "package.json",
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "src/index.ts",
  "dist/index.js",
  "dist/index.js.map",
  "dist/index.d.ts"
]

it("a complete tarball is left alone", () => {
  expect(checkContents(complete, ["./dist/index.js"])).toEqual([])
})

it("what is missing is named, and so is what the exports map promises", () => {
  const paths = complete.filter((path) => path !== "LICENSE")
  expect(checkContents(paths, ["./dist/testing/index.js"])).toEqual([
    "the tarball lacks LICENSE",
    "the tarball lacks dist/testing/index.js"
  ])
})

it("tests, temporary files and strangers are named", () => {
  const strangers = ["src/policy/a.test.ts", "dist/.tmp.js", "test/a.ts", "dist/a.tsbuildinfo"]
  expect(checkContents([...complete, ...strangers], [])).toEqual(
    strangers.map((path) => `the tarball must not hold ${path}`)
  )
})

const lock = (entry: object) =>
  JSON.stringify({ packages: { "node_modules/x": { version: "1.0.0", ...entry } } })

it("a lock file with an address is refused", () => {
  expect(checkLockfile(lock({}))).toEqual([])
  expect(checkLockfile(lock({ resolved: "https://registry.example/x.tgz" }))).toEqual([
    "package-lock.json has an address for node_modules/x"
  ])
})

it("a lock file that lacks a package of another platform is refused", () => {
  expect(checkLockfile(lock({ optionalDependencies: { "@x/darwin": "1.0.0", x: "1.0.0" } }))).toEqual([
    "package-lock.json lacks @x/darwin, which node_modules/x may need on another platform"
  ])
})

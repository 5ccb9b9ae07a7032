import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { node } from "../lib/command.js"
import { commandOf, type Manifest, readManifest, root, withFolder } from "../lib/project.js"
import { failed, fromCommand, fromProblems, inOrder, type Result, type Step } from "../lib/step.js"
import { checkAnywhere } from "../package/anywhere.js"
import { checkConsumer } from "../package/consumer.js"
import { checkContents } from "../package/contents.js"
import { checkEditor } from "../package/editor.js"
import { checkLockfile } from "../package/lockfile.js"
import { checkNewWorkspace } from "../package/newWorkspace.js"
import { type Packed, packInto } from "../package/pack.js"
import { checkPublished } from "../package/published.js"
import { checkSize, sizeInWords } from "../package/size.js"

/** The files that package.json promises. One condition is for this repository alone, and leads to its sources. */
const targetsOf = ({ bin = {}, exports }: Manifest): ReadonlyArray<string> =>
  [bin, ...Object.values(exports)].flatMap((target) =>
    typeof target === "string"
      ? [target]
      : Object.entries(target).flatMap(([condition, path]) =>
          condition === "bailiwick-source" ? [] : [path]
        )
  )

const checkTarball = async (folder: string, packed: Packed): Promise<Result> => {
  const manifest = readManifest(root)
  const tarball = join(folder, packed.filename)
  const consumer = join(folder, "consumer")
  const contents = checkContents(
    packed.files.map((file) => file.path),
    targetsOf(manifest)
  )
  const targets = targetsOf(manifest).map((target) => target.replace(/^\.\//, ""))
  const anywhere = checkAnywhere(targets, (path) => readFileSync(join(root, path), "utf8"))
  return inOrder([
    async () =>
      fromProblems(
        [...contents, ...anywhere, ...checkSize(packed.size)],
        `${packed.files.length} files, ${sizeInWords(packed.size)}`
      ),
    async () => fromCommand(await node([commandOf("publint"), "run", tarball, "--strict"])),
    async () =>
      fromCommand(
        await node([
          commandOf("@arethetypeswrong/cli", "attw"),
          "--profile",
          "esm-only",
          "--no-emoji",
          tarball
        ])
      ),
    async () => fromProblems(await checkPublished()),
    async () => fromProblems(await checkConsumer(consumer, tarball, manifest)),
    async () => fromProblems(await checkEditor(consumer)),
    async () => fromProblems(await checkNewWorkspace(consumer, tarball, manifest))
  ])
}

/** Outside the repository, so that nothing is found in its node_modules by accident. */
const checkPackage = (): Promise<Result> =>
  withFolder(tmpdir(), async (folder) => {
    const packed = await packInto(folder)
    return typeof packed === "string" ? failed(packed) : checkTarball(folder, packed)
  })

export const packaged: Step = {
  name: "package",
  about:
    "the packed tarball: contents, size, publint, types, and an install that an editor and every subpath are tried on, and a workspace of bailiwick init",
  run: () =>
    inOrder([
      async () => fromProblems(checkLockfile(await readFile(join(root, "package-lock.json"), "utf8"))),
      checkPackage
    ])
}

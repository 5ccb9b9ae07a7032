import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { node, npm } from "../lib/command.js"
import { commandOf, readManifest, root, withFolder } from "../lib/project.js"
import { failed, fromCommand, fromProblems, inOrder, type Result, type Step } from "../lib/step.js"
import { checkConsumer } from "../package/consumer.js"
import { checkContents } from "../package/contents.js"
import { checkLockfile } from "../package/lockfile.js"

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const checkTarball = async (folder: string, packed: Packed): Promise<Result> => {
  const manifest = readManifest(root)
  const tarball = join(folder, packed.filename)
  const targets = [...Object.values(manifest.exports), manifest.bin ?? {}].flatMap((target) =>
    typeof target === "string" ? [target] : Object.values(target)
  )
  const contents = checkContents(
    packed.files.map((file) => file.path),
    targets
  )
  return inOrder([
    async () => fromProblems(contents, `${packed.files.length} files, ${Math.round(packed.size / 1024)} kB`),
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
    async () => fromProblems(await checkConsumer(join(folder, "consumer"), tarball, manifest))
  ])
}

/** Outside the repository, so that nothing is found in its node_modules by accident. */
const checkPackage = (): Promise<Result> =>
  withFolder(tmpdir(), async (folder) => {
    const built = await npm(["run", "--silent", "build"])
    if (!built.ok) return failed(`the build fails:\n${built.output}`)
    const packed = await npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder])
    if (!packed.ok) return failed(packed.output)
    const [tarball]: ReadonlyArray<Packed> = JSON.parse(packed.stdout)
    return tarball === undefined ? failed("npm pack made nothing") : checkTarball(folder, tarball)
  })

export const packaged: Step = {
  name: "package",
  about:
    "the packed tarball: contents, publint, types, and an install that imports and requires every subpath",
  run: () =>
    inOrder([
      async () => fromProblems(checkLockfile(await readFile(join(root, "package-lock.json"), "utf8"))),
      checkPackage
    ])
}

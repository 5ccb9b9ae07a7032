/** Started by a test as a process of its own, which is not root's: a child closes what it leaves behind; what is left, as JSON. */
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { fill } from "./folders.js"
import { rig } from "./swept.js"

const modes = {
  unlisted: 0o311,
  unchanged: 0o555,
  shut: 0o000,
  "deep/inner": 0o000,
  deep: 0o311,
  ".husky": 0o555,
  "repository/.git": 0o311
}

const program = Effect.gen(function* () {
  const { child, quarantined, root } = yield* rig()
  const { notes } = yield* child(() => {
    fill(root, {
      "unlisted/.envrc": "run me",
      "unchanged/.envrc": "run me",
      "shut/.envrc": "run me",
      "deep/inner/.envrc": "run me",
      ".husky/pre-commit": "run me",
      "repository/.git/HEAD": "ref: refs/heads/main\n",
      "repository/.git/objects/": "",
      "repository/.git/refs/": "",
      "repository/.git/config": "[core]\n\tpager = run me\n",
      "repository/.git/hooks/pre-commit": "run me"
    })
    for (const [path, mode] of Object.entries(modes)) fs.chmodSync(join(root, path), mode)
  })
  const moved = Object.keys(quarantined()).sort()
  const unchanged = fs.statSync(join(root, "unchanged")).mode & 0o777
  for (const path of Object.keys(modes)) {
    if (fs.existsSync(join(root, path))) fs.chmodSync(join(root, path), 0o700)
  }
  process.stdout.write(JSON.stringify({ moved, unchanged, notes: notes.length }))
})

Effect.runPromise(Effect.scoped(program)).catch((error) => {
  process.stderr.write(String(error))
  process.exitCode = 1
})

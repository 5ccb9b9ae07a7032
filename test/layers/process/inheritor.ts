/** A process of its own, started with descriptors that are not its own. It prints what each of its children has open. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { Chunk, Effect, Schema, Stream } from "effect"
import * as ScopedFiles from "../../../src/capabilities/files/ScopedFiles.js"
import * as ScopedProcess from "../../../src/capabilities/process/ScopedProcess.js"
import * as NodeFiles from "../../../src/layers/node/files/NodeFiles.js"
import * as NodeProcess from "../../../src/layers/node/process/NodeProcess.js"
import { type Holder, holder } from "../../../src/policy/gate/Asking.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"

const [root = ""] = process.argv.slice(2)

const authority = Schema.decodeSync(Authority.FromJson)({
  process: { exec: [{ argv: "*", in: `${root}/` }], eval: [`${root}/`] },
  files: { read: [`${root}/`] }
})

/** The shell's own, so that nothing that the list is made with is in it. */
const LIST = 'for f in /proc/$$/fd/*; do echo "$f"; readlink "$f"; done'

const fakeRipgrep = (): string => {
  const file = `${root}/rg`
  writeFileSync(file, `#!/bin/sh\n( ${LIST} ) > ${root}/seen\nexit 1\n`)
  chmodSync(file, 0o755)
  return file
}

/** So that it can write down what it has. */
const unheld: Holder["sandbox"] = { mode: "off", limits: {} }

const program = Effect.gen(function* () {
  const backend = yield* NodeProcess.make()
  const as = (sandbox: Holder["sandbox"]) =>
    ScopedProcess.scoped(holder({ authority, sandbox }), { workdir: root }, backend)
  const children = as(unheld)
  const command = { binary: "sh", args: ["-c", LIST] }
  const spawn = (yield* children.spawn(command)).stdout
  const held = (yield* as({ mode: "preferred", limits: {} }).spawn(command)).stdout
  const shell = (yield* children.shell({ script: LIST })).stdout
  const stream = yield* Stream.runCollect(children.stream(command))
  const files = NodeFiles.make({ ripgrep: fakeRipgrep() })
  yield* ScopedFiles.scoped(holder({ authority, sandbox: unheld }), { workdir: root }, files).search({
    path: root,
    pattern: "something"
  })
  return {
    spawn,
    held,
    shell,
    stream: Chunk.toReadonlyArray(stream)
      .flatMap((event) => (event._tag === "Stdout" ? [Buffer.from(event.bytes).toString()] : []))
      .join(""),
    ripgrep: readFileSync(`${root}/seen`, "utf8")
  }
})

console.log(JSON.stringify(await Effect.runPromise(Effect.scoped(program))))

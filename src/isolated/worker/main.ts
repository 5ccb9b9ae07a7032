/**
 * Where a worker begins: what it was bundled with is looked at, and then served on descriptor 3. In a start-up snapshot the
 * first is done when the snapshot is made, and the second whenever a process is started from it.
 *
 * @since 0.1.0
 */

import { ASKED } from "../protocol/Exits.js"
import { Channel } from "./channel.js"
import { hasAsked } from "./loading.js"
import { prepare, serve } from "./Serve.js"
import { thaw } from "./thawed.js"
import { warmUp } from "./warm.js"

const DESCRIPTOR = 3

/** Asked for when it is needed: a snapshot cannot hold what Node has of its own. */
const builtin = <M extends "node:fs" | "node:net" | "node:v8">(name: M) => process.getBuiltinModule(name)

/**
 * @since 0.1.0
 * @category execution
 */
export const main = (module: object): void => {
  if (hasAsked()) process.exit(ASKED)
  const prepared = prepare(module)
  const begin = () => {
    const channel = new Channel(builtin("node:fs"), () => builtin("node:net"), DESCRIPTOR)
    process.on("exit", (code) => channel.exiting(code))
    serve(prepared, channel, () => process.exit(0))
  }
  const { startupSnapshot } = builtin("node:v8")
  if (startupSnapshot.isBuildingSnapshot()) {
    warmUp()
    startupSnapshot.setDeserializeMainFunction(() => {
      thaw()
      begin()
    })
  } else {
    begin()
  }
}

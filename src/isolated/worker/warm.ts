/** A call of nothing, made before a snapshot is taken: what a call needs is compiled then, and the first call finds it so. */
import { Effect, Schema } from "effect"
import * as Tool from "../../tools/Tool.js"
import { FrameGathering, FrameReader, LONGEST_FRAME, written } from "../protocol/Frames.js"
import { type Prepared, prepare, serve } from "./Serve.js"

const nothing = Tool.make({
  name: "nothing",
  description: "Does nothing",
  parameters: Schema.Struct({ n: Schema.optional(Schema.Number), text: Schema.optional(Schema.String) }),
  success: Schema.Struct({ n: Schema.Number }),
  failure: Schema.String,
  capabilities: {},
  execute: ({ n }) => (n === undefined ? Effect.fail("nothing") : Effect.succeed({ n }))
})

/** Enough for it to be compiled. */
const TIMES = 20

export const warmUp = (): void => {
  const prepared: Prepared = prepare({ nothing })
  const heard = new FrameReader(LONGEST_FRAME, () => {})
  const gathering = new FrameGathering((pieces) => {
    for (const piece of pieces) heard.push(Buffer.from(piece))
  })
  serve(
    prepared,
    {
      send: gathering.send,
      read: (hear) => {
        for (let id = 1; id <= TIMES; id++) {
          const value = id % 2 === 0 ? { text: "x" } : { n: id }
          for (const piece of written({ t: "call", id, tool: "nothing", value })) hear(Buffer.from(piece))
        }
      }
    },
    () => {}
  )
}

/** Who else uses the directory of a store: another layer, and processes that are compiled once and started as they are. */
import { join } from "node:path"
import { Effect } from "effect"
import * as NodeStorage from "../../../src/layers/node/storage/NodeStorage.js"
import * as StorageContract from "../../../src/testing/contracts/StorageContract.js"
import { programOf } from "../../program.js"
import { started } from "../started.js"
import { scratch } from "./scratch.js"

const program = Effect.promise(() => programOf(join(import.meta.dirname, "writer.ts")))

/** No file may become longer than these kilobytes. */
const ROOM = 4096

/** Those of a directory. */
export const neighboursOf = (directory: string) =>
  Effect.map(program, (file) =>
    StorageContract.Neighbours.of({
      layer: NodeStorage.make({ directory }),
      process: (job) => started(process.execPath, [file, directory, JSON.stringify(job)]),
      cramped: (job) =>
        Effect.flatMap(scratch, (small) =>
          started("bash", [
            "-c",
            `ulimit -f ${ROOM}; exec "$0" "$@"`,
            process.execPath,
            file,
            small,
            JSON.stringify(job)
          ])
        )
    })
  )

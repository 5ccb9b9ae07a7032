/** What holds the children of one layer: whether they can be held, and each command in the form in which it is started then. */
import { Effect } from "effect"
import type { ProcessBackend } from "../../../capabilities/process/ProcessBackend.js"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { ChildNetwork } from "../sandbox/ChildNetwork.js"
import { type Options, type Probed, probe } from "../sandbox/probe/Probe.js"
import type { CheckedCommand } from "./checkedCommand.js"
import type { Directory } from "./directory.js"
import { held } from "./held.js"
import { bare, nameOf } from "./launch.js"
import type { Prepared } from "./prepared.js"
import * as refusals from "./refusals.js"

/** What may be interrupted is asked for inside of this. Nothing is open by then. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export class Fence {
  constructor(
    private readonly probed: Effect.Effect<Probed>,
    private readonly network: ChildNetwork
  ) {}

  /** Whether children can be held is asked once, by whoever is first; who is interrupted meanwhile takes nobody along. */
  static make(options: Options, network: ChildNetwork): Effect.Effect<Fence> {
    return Effect.map(
      Effect.cached(Effect.uninterruptible(probe(options))),
      (probed) => new Fence(probed, network)
    )
  }

  get holding(): Effect.Effect<ProcessBackend.Holding> {
    return Effect.map(this.probed, (probed) =>
      probed.held ? { held: true, by: probed.programs.bwrap } : probed
    )
  }

  /** As the policy of the tool has it: held, or not, or not at all. */
  prepare(
    command: CheckedCommand,
    directory: Directory,
    restore: Restore
  ): Effect.Effect<Prepared, ProcessError> {
    const { limits, mode } = command.proof.held.sandbox
    const unheld = (notes: ReadonlyArray<string>): Effect.Effect<Prepared> =>
      Effect.succeed({ launch: bare(command, directory, notes), limits, open: undefined })
    if (mode === "off") return unheld([])
    return Effect.flatMap(restore(this.probed), (probed) => {
      if (probed.held) return held({ programs: probed.programs, network: this.network, command, directory })
      return mode === "preferred" || (mode === undefined && !probed.isExpected)
        ? unheld([refusals.warning(probed)])
        : Effect.fail(refusals.mustBeHeld(nameOf(command), probed))
    })
  }
}

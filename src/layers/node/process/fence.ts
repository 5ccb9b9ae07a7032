/** What holds the children of one layer: whether they can be held, and each command in the form in which it is started then. */
import { Effect, type Scope } from "effect"
import type { ProcessBackend } from "../../../capabilities/process/ProcessBackend.js"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import { lazy } from "../../../policy/Memo.js"
import { type Cgroups, find } from "../sandbox/Cgroups.js"
import type { ChildNetwork } from "../sandbox/ChildNetwork.js"
import { type Options, type Probed, probe } from "../sandbox/probe/Probe.js"
import * as Survey from "../sandbox/survey/Survey.js"
import * as Sweep from "../sandbox/sweep/Sweep.js"
import type { CheckedCommand } from "./checkedCommand.js"
import type { Directory } from "./directory.js"
import { held } from "./held.js"
import { bare, nameOf } from "./launch.js"
import type { Prepared, Restore } from "./prepared.js"
import { profiled } from "./profiled.js"
import * as refusals from "./refusals.js"

interface FenceOptions extends Options {
  readonly cgroup: string | false | undefined
  readonly quarantine: string
}

const NOTHING = Effect.succeed([])

export class Fence {
  /** What is on the disk, as children see it. */
  readonly survey = Survey.make()
  private readonly sweeper: Sweep.Sweeper

  constructor(
    private readonly probed: Effect.Effect<Probed>,
    private readonly cgroups: () => Cgroups | undefined,
    private readonly network: ChildNetwork,
    quarantine: string
  ) {
    this.sweeper = Sweep.make({ survey: this.survey, quarantine })
  }

  /** Whether children can be held is asked once, by whoever is first; who is interrupted meanwhile takes nobody along. */
  static make(
    { cgroup, quarantine, ...options }: FenceOptions,
    network: ChildNetwork
  ): Effect.Effect<Fence, never, Scope.Scope> {
    const cgroups = lazy(() => find(cgroup))
    return Effect.flatMap(Effect.cached(Effect.uninterruptible(probe(options))), (probed) =>
      Effect.acquireRelease(
        Effect.sync(() => new Fence(probed, cgroups, network, quarantine)),
        (fence) => Effect.sync(() => fence.sweeper.close())
      )
    )
  }

  get holding(): Effect.Effect<ProcessBackend.Holding> {
    return Effect.map(this.probed, (probed) => {
      if (!probed.held) return probed
      return { held: true, by: probed.by === "bwrap" ? probed.programs.bwrap : probed.program }
    })
  }

  /** As the policy of the tool has it: held, or not, or not at all. */
  prepare(
    command: CheckedCommand,
    directory: Directory,
    restore: Restore
  ): Effect.Effect<Prepared, ProcessError, Scope.Scope> {
    const { limits, mode } = command.proof.held.sandbox
    const unheld = (notes: ReadonlyArray<string>): Effect.Effect<Prepared> =>
      Effect.succeed({ launch: bare(command, directory, notes), limits, open: undefined, swept: NOTHING })
    if (mode === "off") return unheld([])
    return Effect.flatMap(restore(this.probed), (probed) => {
      if (probed.held) {
        const { network, survey, sweeper } = this
        const holding = { network, survey, sweeper, command, directory }
        if (probed.by === "seatbelt") return profiled({ ...holding, program: probed.program }, restore)
        return held({ ...holding, programs: probed.programs, cgroups: this.cgroups() }, restore)
      }
      return mode === "preferred" || (mode === undefined && !probed.isExpected)
        ? unheld([refusals.warning(probed)])
        : Effect.fail(refusals.mustBeHeld(nameOf(command), probed))
    })
  }
}

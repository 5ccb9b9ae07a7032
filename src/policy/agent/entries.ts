/** What an agent's record stands for: its root, and its grants with the shorthands written out. */
import { Either } from "effect"
import type * as Grant from "../grant/Grant.js"
import { type Anchors, clamp, nowhere, type Root, rootOf } from "../grant/Roots.js"
import { quote } from "../text/Quote.js"
import type { AgentFile, Warning } from "./AgentFile.js"

export interface AgentPlaces extends Anchors {
  /** The root that the workspace gives to all agents, beyond which none of them reaches. */
  readonly sandbox?: string | undefined
}

export interface Bound {
  /** The root of the workspace. */
  readonly common: Root | undefined
  /** The root that the record gives itself, cut down to that of the workspace. */
  readonly own: Root | undefined
  /** The one that holds for its grants. */
  readonly root: Root | undefined
  readonly warnings: ReadonlyArray<Warning>
}

const commonOf = (places: AgentPlaces): Root | undefined => {
  const { sandbox } = places
  return sandbox === undefined ? undefined : Either.getOrElse(rootOf(sandbox, places), () => nowhere(sandbox))
}

export const boundOf = (id: string, { sandbox }: AgentFile, places: AgentPlaces): Bound => {
  const common = commonOf(places)
  const none = { common, own: undefined, warnings: [] }
  if (sandbox === undefined) return { ...none, root: common }
  // Its reader has warned of it already.
  if (!sandbox.readable) return { ...none, root: nowhere("sandbox") }
  if (sandbox.path === null) return { ...none, root: common }
  const at = { line: sandbox.line, column: 1 }
  const own = rootOf(sandbox.path, places)
  if (Either.isLeft(own)) {
    return { ...none, root: nowhere(sandbox.path), warnings: [{ ...at, ...own.left }] }
  }
  const place = clamp(own.right, common)
  if (place._tag === "Same") return { common, own: own.right, root: own.right, warnings: [] }
  return {
    common,
    own: common,
    root: common,
    warnings: [
      {
        ...at,
        code: "SANDBOX_CLAMPED",
        detail: `the sandbox of ${quote(id)} is ${quote(sandbox.path)}, and the workspace's is ${quote(common?.written ?? "")}: it is clamped to that, because a sandbox can only narrow`,
        remedy: `write a directory below ${common?.written}`
      }
    ]
  }
}

const SHORTHAND = ["fs.read", "fs.write", "proc.exec"]

export interface Entry {
  readonly grant: Grant.Grant
  readonly from: "default" | "access" | "sandbox" | "capabilities"
  readonly line: number
  /** Which item of the list it is, if it is one. */
  readonly item?: number
}

/** All that is written, with the shorthands written out. */
export const entriesOf = (file: AgentFile, { own }: Bound): ReadonlyArray<Entry> => {
  const { access, capabilities, line, sandbox } = file
  // A root of the workspace that cannot be read is none to write out.
  const root = own?.nowhere === true ? undefined : own?.written
  const ofAccess = access?.grants.map((grant): Entry => ({ grant, from: "access", line: access.line }))
  const ofList = capabilities?.map((given): Entry => ({ ...given, from: "capabilities" }))
  const ofSandbox =
    root === undefined || sandbox === undefined
      ? []
      : SHORTHAND.map(
          (name): Entry => ({ grant: { name, scope: { in: root } }, from: "sandbox", line: sandbox.line })
        )
  const speaks =
    ofAccess !== undefined || ofList !== undefined || (sandbox !== undefined && root === undefined)
  const byDefault: ReadonlyArray<Entry> = speaks
    ? []
    : [{ grant: { name: "records.read", scope: {} }, from: "default", line }]
  return [...byDefault, ...(ofAccess ?? []), ...(ofList ?? []), ...ofSandbox]
}

/** What a child would see, in sentences about it. */
import type { Mount } from "../../policy/confinement/Plan.js"
import { type Limits, limitNames } from "../../policy/Sandbox.js"
import { seen } from "../../policy/text/Quote.js"
import type { Enclosed } from "../../tools/Isolation.js"
import type { Confined } from "./Confined.js"

const MOST = 8

const listed = (all: ReadonlyArray<string>): string => {
  const shown = all.slice(0, MOST).map(seen).join(", ")
  return all.length <= MOST ? shown : `${shown} and ${all.length - MOST} more`
}

const placeOf = ({ kind, path }: Mount): string => (kind === "tree" && path !== "/" ? `${path}/` : path)

const isInside = (one: Mount, others: ReadonlyArray<Mount>): boolean =>
  others.some(
    (other) =>
      other !== one && other.kind === "tree" && one.path.startsWith(`${other.path}/`.replace("//", "/"))
  )

/** All of them can be read; what lies in another goes without saying. */
const readable = ({ mounts }: Confined): string =>
  listed(mounts.filter((one) => !isInside(one, mounts)).map(placeOf))

const writable = ({ mounts }: Confined): string =>
  listed(mounts.filter(({ access }) => access === "write").map(placeOf))

const units = ["bytes", "KiB", "MiB", "GiB", "TiB"]

const sized = (bytes: number): string => {
  let [size, unit] = [bytes, 0]
  while (size >= 1024 && size % 1024 === 0 && unit < units.length - 1) {
    size /= 1024
    unit++
  }
  return `${size} ${units[unit]}`
}

const bounds: { readonly [K in keyof Required<Limits>]: (limit: number) => string } = {
  processes: (limit) => `${limit} processes`,
  openFiles: (limit) => `${limit} open files`,
  fileBytes: (limit) => `${sized(limit)} in a file`,
  memoryBytes: (limit) => `${sized(limit)} of memory`,
  tmpBytes: (limit) => `${sized(limit)} in /tmp`,
  seconds: (limit) => `${limit} seconds`,
  connections: (limit) => `${limit} connections at once`,
  networkBytes: (limit) => `${sized(limit)} over the network`
}

const limited = (limits: Limits): ReadonlyArray<string> => {
  const all = limitNames.flatMap((name) => {
    const limit = limits[name]
    return limit === undefined ? [] : [bounds[name](limit)]
  })
  return all.length === 0 ? [] : [`has at most ${all.join(", ")}`]
}

const covered = ({ covers }: Confined): ReadonlyArray<string> =>
  (
    [
      ["hidden", "does not see"],
      ["frozen", "cannot change"]
    ] as const
  ).flatMap(([as, words]) => {
    const paths = covers.filter((one) => one.as === as).map(({ path }) => path)
    return paths.length === 0 ? [] : [`${words} ${listed(paths)}, which no policy opens`]
  })

const UNHELD = "sees, writes and reaches whatever the user of this program may"

const mode = ({ held, mode, why }: Pick<Confined, "held" | "mode" | "why">): string =>
  held ? `is held by the kernel (sandbox: ${mode})` : `is not held by the kernel: ${why} (sandbox: ${mode})`

/** What the process of a tool has, in sentences about it. */
export const processInWords = (enclosed: Enclosed): ReadonlyArray<string> => {
  const { held, limits, per } = enclosed
  const whose = `is used by ${per === "call" ? "this call alone" : "calls of this turn alone"}`
  if (!held) return [mode(enclosed), whose, UNHELD]
  return [
    mode(enclosed),
    whose,
    "reads its code and the runtime of Node, and writes nothing",
    "reaches no host, has no environment and starts no process",
    ...limited(limits)
  ]
}

export const inWords = (confined: Confined): ReadonlyArray<string> => {
  const { held, hosts, leftOut, limits, reaches } = confined
  if (!held) return [mode(confined), UNHELD]
  return [
    mode(confined),
    `reads ${readable(confined) || "nothing"}, beside the system's programs`,
    `writes ${writable(confined) || "nothing"}, beside a /tmp of its own`,
    ...covered(confined),
    reaches ? `reaches ${listed(hosts)}; each connection is asked about` : "reaches no host",
    ...limited(limits),
    ...leftOut
      .slice(0, MOST)
      .map(({ what, why }) => `does not get '${seen(what)}', although it is permitted: ${seen(why)}`),
    ...(leftOut.length <= MOST ? [] : [`does not get ${leftOut.length - MOST} more that are permitted`])
  ]
}

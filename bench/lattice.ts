/**
 * What one decision costs, and that it does not grow with the number of patterns. Prints ratios; absolute
 * times are those of this machine and this minute.
 */
import * as cedar from "@cedar-policy/cedar-wasm/nodejs"
import { Authority, Request } from "bailiwick"
import { newEnforcer, newModelFromString } from "casbin"
import { Either, Schema } from "effect"
import { interleave, type Subject } from "./interleave.js"

const SIZES = [10, 1_000, 100_000]
const ASKED = 64

const authority = (encoded: Authority.Encoded): Authority.Authority =>
  Schema.decodeSync(Authority.FromJson)(encoded)

const made = (request: Request.Made): Request.Request => Either.getOrThrow(request)

/** Half of them names, half of them suffixes. */
const hostPatterns = (size: number): ReadonlyArray<string> =>
  Array.from({ length: size }, (_, i) => (i % 2 === 0 ? `api${i}.example.com` : `*.team${i}.example.org`))

/** Directories, globs below a directory, and single files. */
const pathPatterns = (size: number): ReadonlyArray<string> =>
  Array.from({ length: size }, (_, i) =>
    i % 3 === 0 ? `/srv/team${i}/` : i % 3 === 1 ? `/srv/app${i}/src/**/*.ts` : `/srv/notes${i}/today.md`
  )

/** The same spread of hits at every size, and every eighth a miss. */
const spread = (size: number): ReadonlyArray<number> =>
  Array.from({ length: ASKED }, (_, k) => (k * 7919) % size)

const hostAsked = (size: number): ReadonlyArray<string> =>
  spread(size).map((i, k) =>
    k % 8 === 7
      ? `nowhere${i}.example.net`
      : i % 2 === 0
        ? `api${i}.example.com`
        : `eu.api.team${i}.example.org`
  )

const pathAsked = (size: number): ReadonlyArray<string> =>
  spread(size).map((i, k) =>
    k % 8 === 7
      ? `/etc/nowhere${i}/x`
      : i % 3 === 0
        ? `/srv/team${i}/a/b`
        : i % 3 === 1
          ? `/srv/app${i}/src/a/b.ts`
          : `/srv/notes${i}/today.md`
  )

const rotate = <A>(items: ReadonlyArray<A>, ask: (item: A) => unknown): (() => unknown) => {
  let next = 0
  return () => ask(items[next++ % items.length] as A)
}

const hosts = (size: number): Subject => {
  const held = authority({ network: { get: hostPatterns(size) } })
  const asked = hostAsked(size).map((host) => made(Request.http("GET", `https://${host}/x`)))
  return { name: `host ${size}`, run: rotate(asked, (request) => Authority.permits(held, request)) }
}

const paths = (size: number): Subject => {
  const held = authority({ files: { read: pathPatterns(size) } })
  const asked = pathAsked(size).map((path) => made(Request.file("read", path)))
  return { name: `path ${size}`, run: rotate(asked, (request) => Authority.permits(held, request)) }
}

const covers = (host: string, pattern: string): boolean =>
  pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern

const casbin = async (size: number): Promise<Subject> => {
  const model = newModelFromString(
    [
      "[request_definition]\nr = obj, act",
      "[policy_definition]\np = obj, act",
      "[policy_effect]\ne = some(where (p.eft == allow))",
      "[matchers]\nm = r.act == p.act && covers(r.obj, p.obj)"
    ].join("\n")
  )
  const enforcer = await newEnforcer(model)
  await enforcer.addFunction("covers", covers)
  await enforcer.addPolicies(hostPatterns(size).map((pattern) => [pattern, "get"]))
  return { name: `casbin ${size}`, run: rotate(hostAsked(size), (host) => enforcer.enforceSync(host, "get")) }
}

const cedarPolicies = (size: number): Subject => {
  const policies = hostPatterns(size).map(
    (pattern) =>
      `permit(principal, action == Action::"get", resource) when { context.host like "${pattern}" };`
  )
  cedar.preparsePolicySet("hosts", { staticPolicies: policies.join("\n") })
  const ask = (host: string) =>
    cedar.statefulIsAuthorized({
      principal: { type: "Agent", id: "a" },
      action: { type: "Action", id: "get" },
      resource: { type: "Host", id: "h" },
      context: { host },
      entities: [],
      preparsedPolicySetId: "hosts"
    })
  return { name: `cedar ${size}`, run: rotate(hostAsked(size), ask) }
}

/** A peer that answers something else would make its time worthless. */
const agreeOn = (subjects: ReadonlyArray<Subject>): void => {
  const verdict = (answer: unknown): boolean => {
    const { allowed, response } = Object(answer) as { allowed?: boolean; response?: { decision: string } }
    return typeof answer === "boolean" ? answer : (allowed ?? response?.decision === "allow")
  }
  for (let i = 0; i < ASKED; i++) {
    const verdicts = new Set(subjects.map(({ run }) => verdict(run())))
    if (verdicts.size !== 1) throw new Error(`the peers disagree on ${hostAsked(1_000)[i]}`)
  }
}

const progress = (text: string) => process.stderr.write(`${text}\n`)

progress("building authorities and the peers' policies")
const peers = [hosts(1_000), await casbin(1_000), cedarPolicies(1_000)]
agreeOn(peers)
const nanos = interleave([...SIZES.map(hosts), ...SIZES.map(paths), ...peers.slice(1)], progress)

const time = (name: string): number => nanos.get(name) ?? Number.NaN
const ratio = (slow: string, fast: string): string => `${(time(slow) / time(fast)).toFixed(1)}×`

const line = (label: string, figure: string, target: string) =>
  console.log(`${label.padEnd(58)} ${figure.padStart(10)}   ${target}`)

console.log("One decision, median of interleaved rounds")
for (const kind of ["host", "path"]) {
  for (const size of SIZES)
    line(`${kind}, ${size.toLocaleString("en")} patterns`, `${time(`${kind} ${size}`).toFixed(0)} ns`, "")
}
line("host, 100,000 patterns against 10", ratio("host 100000", "host 10"), "at most 4×")
line("path, 100,000 patterns against 10", ratio("path 100000", "path 10"), "at most 6×")
line(
  "casbin against a host decision, both at 1,000 patterns",
  ratio("casbin 1000", "host 1000"),
  "at least 1,000×"
)
line(
  "cedar against a host decision, both at 1,000 patterns",
  ratio("cedar 1000", "host 1000"),
  "at least 1,000×"
)

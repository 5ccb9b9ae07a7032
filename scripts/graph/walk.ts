/**
 * `npm run graph:walk`: the files of the library that take part in one call of `read_file` and one of `web_fetch`, as the
 * engine itself counts them. The calls are warm: what is compiled or made once is there already.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { Session } from "node:inspector/promises"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Builtin, Personality, Registry, Turn } from "bailiwick"
import { NodeBackends } from "bailiwick/node"
import { Effect, Either, Logger } from "effect"

const WARM = 5

const workdir = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-walk-")))
mkdirSync(join(workdir, "notes"))
writeFileSync(join(workdir, "notes/a.txt"), "hello\n")
const server = createServer((_request, response) => response.end("<p>hello</p>"))
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
const { port } = server.address() as AddressInfo

const text = `id: walker
fs_reach: { read: ["\${CWD}"] }
safety: { network: { private: ["127.0.0.1:${port}"] } }
`
const personality = Personality.parse({ config: { file: "config.yaml", text } }, { workdir })
const policy = Personality.policy(Either.getOrThrow(personality))
const registry = Registry.make(...Builtin.builtins)
const turn = Turn.make({ session: "walk", policy, workdir })

const session = new Session()
session.connect()
await session.post("Profiler.enable")

/** The files in which a function ran between two looks. */
const counted = async (): Promise<ReadonlyArray<string>> => {
  const { result } = await session.post("Profiler.takePreciseCoverage")
  return result.flatMap(({ functions, url }) => {
    const [, path] = /^(?!.*node_modules).*\/src\/(.+)\.ts$/.exec(url) ?? []
    const ran = functions.some(
      ({ functionName, ranges }) => functionName !== "__name" && (ranges[0]?.count ?? 0) > 0
    )
    return path !== undefined && ran ? [path] : []
  })
}

const walk = (name: string, args: unknown) =>
  Effect.gen(function* () {
    const calls = [{ id: "1", name, args }]
    for (let i = 0; i < WARM; i++) yield* registry.execute(turn, calls)
    yield* Effect.promise(async () => {
      await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
      await counted()
    })
    const [answer] = yield* registry.execute(turn, calls)
    const files = yield* Effect.promise(counted)
    yield* Effect.promise(() => session.post("Profiler.stopPreciseCoverage"))
    if (answer?.result.ok !== true) throw new Error(`${name} was refused: ${JSON.stringify(answer?.result)}`)
    return [name, [...files].sort()] as const
  })

const program = Effect.all([
  walk("read_file", { path: "notes/a.txt" }),
  walk("web_fetch", { url: `http://127.0.0.1:${port}/` })
])
const walks = await Effect.runPromise(
  program.pipe(
    Effect.provide(NodeBackends.layer({ directory: join(workdir, "state") })),
    Effect.provide(Logger.remove(Logger.defaultLogger))
  )
)
server.close()
server.closeAllConnections()
rmSync(workdir, { recursive: true })
console.log(JSON.stringify(Object.fromEntries(walks), null, 2))

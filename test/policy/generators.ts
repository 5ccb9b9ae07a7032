/**
 * Authorities, one facet at a time, and requests that nearly miss them: sibling prefixes, sub- and
 * superdomains, mixed case, punycode, dotted and undotted, nested globs. The alphabets are small on purpose, so
 * that what is generated collides.
 */
import { Either, FastCheck as fc } from "effect"
import * as Authority from "../../src/policy/lattice/Authority.js"
import type { Dimension } from "../../src/policy/lattice/dimensions/Dimension.js"
import { type Facet, facets, type Verb } from "../../src/policy/lattice/Facets.js"
import type * as Glob from "../../src/policy/lattice/Glob.js"
import * as Host from "../../src/policy/lattice/Host.js"
import { HostSet } from "../../src/policy/lattice/HostSet.js"
import * as Request from "../../src/policy/lattice/Request.js"
import { ScopeSet } from "../../src/policy/lattice/ScopeSet.js"

const right = <A>(either: Either.Either<A, { readonly message: string }>): A =>
  Either.getOrThrowWith(either, (error) => new Error(error.message))

const cased = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.constantFrom("", "", "."), fc.boolean())
    .map(([name, dot, upper]) => `${upper ? name.toUpperCase() : name}${dot}`)

const domain = fc.constantFrom(
  "github.com",
  "evilgithub.com",
  "github.com.evil.net",
  "git.hub.com",
  "bücher.example.org",
  "xn--bcher-kva.example.org",
  "example.org",
  "127.0.0.1"
)

const hostName = cased(
  fc.oneof(
    { weight: 2, arbitrary: domain },
    {
      weight: 5,
      arbitrary: fc
        .tuple(fc.array(fc.constantFrom("a", "b", "api"), { minLength: 1, maxLength: 3 }), domain)
        .map(([labels, base]) => (base === "127.0.0.1" ? base : [...labels, base].join(".")))
    }
  )
)

const hostPattern: fc.Arbitrary<Host.HostPattern> = fc.oneof(
  { weight: 6, arbitrary: hostName.map((name) => right(Host.parsePattern(name))) },
  {
    weight: 5,
    arbitrary: hostName
      .filter((name) => !name.startsWith("127"))
      .map((name) => right(Host.parsePattern(`*.${name}`)))
  },
  { weight: 1, arbitrary: fc.constant<Host.HostPattern>({ _tag: "Any" }) }
)

const hostSet = fc
  .tuple(fc.array(hostPattern, { maxLength: 4 }), fc.array(hostPattern, { maxLength: 2 }))
  .map(([allow, deny]) => HostSet.make(allow).without(HostSet.make(deny)))

const segmentOf = (glob: boolean): fc.Arbitrary<string> =>
  glob
    ? fc.constantFrom(
        "data",
        "data",
        "database",
        "dat?",
        "dat*",
        "*",
        "**",
        "a",
        "*a",
        "a*b",
        "?*",
        ".git",
        "?a*"
      )
    : fc.constantFrom("data", "database", "dat", "a", "ab", "aab", "ba", ".git", "x")

const segments = (glob: boolean, minLength: number): fc.Arbitrary<ReadonlyArray<string>> =>
  fc.array(segmentOf(glob), { minLength, maxLength: 4 })

const pathText = fc.oneof(
  segments(true, 0).map((parts) => `/${parts.join("/")}`),
  segments(false, 0).map((parts) => `/${parts.join("/")}/`)
)

const rootText = segments(false, 0).map((parts) => `/${parts.slice(0, 2).join("/")}`)

const commandWord = fc.constantFrom("git", "gitx", "log", "--stat", "*", "g*", "?", "npm", "test")

const commandText = fc.oneof(
  fc.constantFrom("git:*", "gitx:*", "npm:*", "*"),
  fc.array(commandWord, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "))
)

const refText = fc.oneof(
  fc.constantFrom("KEY", "key", "providers/exa", "providers/exa/key", "providers/exam/key"),
  fc.constantFrom("providers/*", "providers/exa/*", "providers/exam/*", "KEY/*")
)

const endpointHosts = [
  "127.0.0.1",
  "[::1]",
  "db.corp.example",
  "corp.example",
  "a.db.corp.example",
  "localhost"
]

const endpointText = fc
  .tuple(
    fc.constantFrom(...endpointHosts, "*.corp.example", "*.db.corp.example", "*"),
    fc.constantFrom("", ":80", ":8080")
  )
  .map((parts) => parts.join(""))

const scopeText: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "files.path": pathText,
  "private.endpoint": endpointText,
  "process.argv": commandText,
  "process.in": rootText,
  "secrets.ref": refText,
  "secrets.to": endpointText,
  "secrets.in": fc.constantFrom(
    "header:authorization",
    "header:x-key",
    "header",
    "query",
    "query:key",
    "path",
    "body"
  ),
  "storage.scope": fc.constantFrom("tool-private", "session", "personality", "*"),
  "attachments.kind": fc.constantFrom("image", "audio", "file", "*"),
  "records.class": fc.constantFrom("note", "notes", "inbox", "Note", "*"),
  "records.path": segments(true, 1).map((parts) => parts.join("/")),
  "agents.id": segments(true, 1).map((parts) => parts.join("/")),
  "provider.tool": fc.constantFrom("code_execution", "web_search", "*")
}

const globs = (facet: Facet, dimension: Dimension): fc.Arbitrary<ReadonlyArray<Glob.Glob>> =>
  fc.array(
    (scopeText[`${facet}.${dimension.name}`] as fc.Arbitrary<string>).map((text) =>
      right(dimension.parse(text))
    ),
    {
      minLength: 0,
      maxLength: dimension.name === "path" || dimension.name === "argv" ? 2 : 1
    }
  )

const scopeSet = (facet: Facet, dimensions: ReadonlyArray<Dimension>): fc.Arbitrary<ScopeSet> =>
  fc
    .array(
      fc.record(Object.fromEntries(dimensions.map((dimension) => [dimension.name, globs(facet, dimension)]))),
      {
        maxLength: 3
      }
    )
    .map((alternatives) => ScopeSet.make(dimensions, alternatives))

/** An authority over one verb of one facet: laws hold verb by verb, and so what is drawn meets what is asked. */
const authority = (facet: Facet, verb: string): fc.Arbitrary<Authority.Authority> => {
  // What may be read may be sent sealed: of secrets, both are drawn.
  if (facet === "secrets") {
    const { read, seal } = facets.secrets
    return fc
      .record({ read: scopeSet(facet, read), seal: scopeSet(facet, seal) })
      .map((secrets) => Authority.make({ secrets }))
  }
  const spec = (facets[facet] as Readonly<Record<string, "hosts" | ReadonlyArray<Dimension>>>)[verb]
  const set: fc.Arbitrary<HostSet | ScopeSet> = spec === "hosts" ? hostSet : scopeSet(facet, spec ?? [])
  return set.map((scope) => Authority.make({ [facet]: { [verb]: scope } }))
}

const absolute = segments(false, 0).map((parts) => `/${parts.join("/")}`)

const id = segments(false, 1).map((parts) => parts.join("/"))

const cwd = fc.option(absolute, { nil: undefined, freq: 5 })

const methods: Readonly<Record<string, ReadonlyArray<string>>> = {
  get: ["GET", "head", "OPTIONS"],
  post: ["POST"],
  put: ["Put", "PATCH"],
  delete: ["DELETE"]
}

const argv = fc
  .array(fc.constantFrom("git", "gitx", "log", "--stat", "npm", "test", "x y", ""), {
    minLength: 1,
    maxLength: 4
  })
  .map(([command, ...rest]) => [command || "git", ...rest])

const refs = [
  "KEY",
  "key",
  "KEY/a",
  "providers",
  "providers/exa",
  "providers/exa/key",
  "providers/exa/a/b",
  "providers/exam/key"
]

const requests: { readonly [F in Facet]: (verb: Verb<F>) => fc.Arbitrary<Request.Made> } = {
  network: (verb) =>
    fc
      .tuple(fc.constantFrom(...(methods[verb] ?? [])), hostName, fc.constantFrom("", ":8443"))
      .map(([method, host, port]) => Request.http(method, `https://${host}${port}/x`)),
  private: () =>
    fc
      .tuple(fc.constantFrom(...endpointHosts), fc.constantFrom(80, 8080, 443))
      .map(([host, port]) => Request.connect(host, port)),
  files: (verb) => absolute.map((path) => Request.file(verb, path)),
  process: (verb) =>
    verb === "exec"
      ? fc.tuple(argv, cwd).map(([words, dir]) => Request.exec(words, dir))
      : cwd.map(Request.shell),
  secrets: (verb) =>
    verb === "read"
      ? fc.constantFrom(...refs).map(Request.secret)
      : fc
          .tuple(
            fc.constantFrom(...refs),
            fc.constantFrom(...endpointHosts),
            fc.constantFrom(80, 8080, 443),
            fc.constantFrom(
              "header:Authorization",
              "header:x-key",
              "header:other",
              "query:key",
              "query:k",
              "path",
              "body"
            )
          )
          .map((parts) => Request.seal(...parts)),
  storage: () => fc.constantFrom("tool-private", "session", "personality").map(Request.storage),
  attachments: () => fc.constantFrom("image", "audio", "file").map(Request.attachment),
  records: (verb) =>
    fc
      .tuple(id, fc.constantFrom("note", "notes", "inbox", "Note"))
      .map(([path, name]) => Request.record(verb, path, name)),
  agents: (verb) => id.map((path) => Request.agent(verb, path)),
  provider: () => fc.constantFrom("code_execution", "web_search", "computer").map(Request.provider)
}

const verbOf = (facet: Facet): fc.Arbitrary<string> => fc.constantFrom(...Object.keys(facets[facet]))

const request = (facet: Facet, verb: string): fc.Arbitrary<Request.Request> =>
  (requests[facet] as (verb: string) => fc.Arbitrary<Request.Made>)(verb).map(right)

export const asked = (facet: Facet): fc.Arbitrary<Request.Request> =>
  verbOf(facet).chain((verb) => request(facet, verb))

/** Three authorities over one verb of a facet, and a request for that verb. */
export const drawn = (facet: Facet) =>
  verbOf(facet).chain((verb) =>
    fc.record({
      a: authority(facet, verb),
      b: authority(facet, verb),
      c: authority(facet, verb),
      r: request(facet, verb)
    })
  )

export const allFacets = Object.keys(facets) as ReadonlyArray<Facet>

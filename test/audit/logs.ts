/** Logs drawn at random: requests that nearly miss the grants of `test/policy/grants.ts`, and what a policy says of them. */
import { Either, FastCheck as fc } from "effect"
import { type AuditEntry, type Call, type Decision, VERSION } from "../../src/audit/AuditEntry.js"
import { passing } from "../../src/audit/Asked.js"
import * as Asking from "../../src/policy/gate/Asking.js"
import type { Passed } from "../../src/policy/lattice/Passed.js"
import * as Request from "../../src/policy/lattice/Request.js"
import type { Policy } from "../../src/policy/Policy.js"
import { HOME } from "../policy/agents.js"

const right = <A>(made: Either.Either<A, { readonly message: string }>): A =>
  Either.getOrThrowWith(made, ({ message }) => new Error(message))

const from = (...texts: ReadonlyArray<string>) => fc.constantFrom(...texts)

const path = fc
  .tuple(
    from("/w", "/w/a", "/w/lib", "/w-evil", "/x", `${HOME}/p`, HOME, "", "/w/.github/workflows", "/w/a b"),
    from(
      "",
      "/x",
      "/y",
      "/z",
      "/lib/a",
      "/lib/b",
      "/notes.md",
      "/more.md",
      "/[c],{d}",
      '/back\\slash"quote',
      "/a*b"
    )
  )
  .map(([folder, rest]) => `${folder}${rest}` || "/")

const directory = from("/w", "/w/a", "/w/b", "/w/c", "/x", `${HOME}/p`, "/", "/w/my dir in /it")

const host = from(
  "a.example",
  "b.a.example",
  "c.a.example",
  "d.a.example",
  "example",
  "b.example",
  "127.0.0.1"
)

const argv = fc
  .tuple(
    from("git", "rg", "/usr/bin/git", "npm", "gitk", "odd name"),
    fc.array(from("log", "test", "--x", "in", "x y"))
  )
  .map(([name, rest]) => [name, ...rest])

const id = from("notes/a", "notes/b", "notes/c", "notes/sub/a", "agents/a", "agents/b", "agents/c", "team/x")

/** Whatever can be asked. */
export const request: fc.Arbitrary<Request.Request> = fc
  .oneof<Array<fc.Arbitrary<Request.Made>>>(
    fc
      .tuple(
        from("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"),
        host,
        from("", ":8080"),
        from("/", "/x?token=1")
      )
      .map(([method, name, port, rest]) => Request.http(method, `http://${name}${port}${rest}`)),
    fc.tuple(from("read", "write", "delete"), path).map(([verb, text]) => Request.file(verb as "read", text)),
    fc.tuple(argv, directory).map(([words, cwd]) => Request.exec(words, cwd)),
    directory.map(Request.shell),
    from("KEY", "a/key", "a/b/key", "b/c/d").map(Request.secret),
    fc
      .tuple(
        from("KEY", "a/key", "a/b/key"),
        from("a.example", "b.example"),
        fc.constantFrom(443, 8443),
        from("header:authorization", "query:key", "body")
      )
      .map(([ref, name, port, place]) => Request.seal(ref, name, port, place)),
    fc
      .tuple(from("127.0.0.1", "b.example"), fc.constantFrom(80, 8080, 443))
      .map(([name, port]) => Request.connect(name, port)),
    from("code_execution", "web_search").map(Request.provider),
    from("session", "tool-private", "personality").map(Request.storage),
    from("image", "audio", "file").map(Request.attachment),
    fc
      .tuple(from("read", "create", "update", "delete"), id, from("inbox", "note", "task", "Ünï côde", "a,b"))
      .map(([verb, one, name]) => Request.record(verb as "read", one, name)),
    fc
      .tuple(from("create", "update", "delete", "grant"), id)
      .map(([verb, one]) => Request.agent(verb as "create", one))
  )
  .map((made): Request.Request => right<Request.Request>(made))

const specs = [
  "net.get{hosts=[*]}",
  "net.get{hosts=[*.a.example,b.example]}",
  "net.post{hosts=[*.example]}",
  "net.put{hosts=[a.example,b.a.example]}",
  "net.delete{hosts=[*]}",
  "fs.read{in=/}",
  "fs.read{in=/w,paths=[a/,lib/**,**/*.md]}",
  "fs.read{in=~}",
  "fs.write{in=/w}",
  "fs.write{in=/w/.github/workflows}",
  "fs.delete{in=/w,paths=[*,a/*]}",
  "proc.exec{in=/}",
  "proc.exec{in=/w,cmds=[git,rg]}",
  "proc.exec{in=/w/a,patterns=[git log *,npm test,* --x]}",
  "proc.exec{in=~/p,cmds=[npm]}",
  "proc.eval{in=/w}",
  "secrets.read{refs=[*]}",
  "secrets.read{refs=[a/*,KEY]}",
  "secrets.read{refs=[*],sealed=true}",
  "secrets.read{refs=[KEY,a/b/key],sealed=true}",
  "storage.use{scopes=[*]}",
  "attachments.read{kinds=[image,file]}",
  "records.read",
  "records.create",
  "records.update{paths=[notes/**,agents/*]}",
  "records.update{classes=[note,inbox],paths=[**]}",
  "records.delete{classes=[*]}",
  "agent.create{id=agents/*}",
  "agent.update",
  "agent.delete{ids=[agents/a,team/*]}",
  "agent.grant{id=agents/**}",
  "provider.code_execution"
]

/** A record that holds much, so that much of a log is allowed. */
export const generous: fc.Arbitrary<string> = fc
  .tuple(
    fc.shuffledSubarray(specs, { minLength: 6 }),
    from("", "access: rw\n", "access: r\n", "sandbox: /w\n", "access: w\nsandbox: /w\n")
  )
  .map(([all, more]) => `---\nclass: agent\n${more}capabilities: ${JSON.stringify(all)}\n---\nYou work.\n`)

/** What a policy says of a request, as a tool that declares everything would hear it. */
export const answerOf = (policy: Policy, request: Request.Request) =>
  Asking.ask(Asking.holder({ authority: policy.authority, floor: policy.floor }), Either.right(request))

/** Where paths lead: nowhere else, or what is below one folder to another one, which is held or not. */
export const links = fc.constantFrom(
  undefined,
  (path: string): string => path.replace(/^\/w(?!\/real)(?=\/|$)/, "/w/real"),
  (path: string): string => path.replace(/^\/w(?=\/|$)/, "/x/real")
)

/** What else is asked about where a path leads elsewhere. */
export const behind = (
  request: Request.Request,
  real: ((path: string) => string) | undefined
): ReadonlyArray<Request.Request> =>
  real === undefined || request._tag === "Http" || request.facet !== "files"
    ? []
    : [right(Request.file(request.verb as "read", real(`/${(request.element.path ?? []).join("/")}`)))]

const who = (policy: Policy, at: number) => ({
  v: VERSION as typeof VERSION,
  time: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(),
  session: "s",
  ...(policy.agent === undefined ? {} : { agent: policy.agent }),
  ...(policy.personality === undefined ? {} : { personality: policy.personality }),
  revision: policy.revision,
  call: `c${at}`,
  tool: "tool",
  origin: "host"
})

/** The entry of a decision, as the log has it: neither arguments, nor queries, nor secrets that are not held. */
const decisionOf = (policy: Policy, asked: Request.Request, at: number): Decision => {
  const answer = answerOf(policy, asked)
  const shared = { ...who(policy, at), type: "decision" as const, capability: asked.capability }
  if (Either.isRight(answer)) {
    const isSecret = asked._tag === "Scoped" && asked.facet === "secrets"
    return {
      ...shared,
      asked: isSecret ? Request.show(asked) : Request.summary(asked),
      allowed: true,
      scope: answer.right.scope
    }
  }
  const { code, reason } = answer.left.denial
  return { ...shared, asked: Request.summary(asked), allowed: false, code, reason }
}

/** The entry of what a policy's agent passed on to another. */
export const passedTo = (policy: Policy, target: string, { capability, scope }: Passed): Decision => ({
  ...who(policy, 0),
  type: "decision",
  capability,
  asked: passing(target),
  allowed: true,
  ...(scope === undefined ? {} : { scope })
})

const callOf = (policy: Policy, at: number): Call => ({
  ...who(policy, at),
  type: "call",
  code: "ok",
  ms: 1
})

/** The log of these requests, one in a call each. */
export const logOf = (policy: Policy, requests: ReadonlyArray<Request.Request>): ReadonlyArray<AuditEntry> =>
  requests.flatMap((one, at) => [decisionOf(policy, one, at), callOf(policy, at)])

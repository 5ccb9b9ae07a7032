/** A turn under the authority that is named, with the backends of its calls: what `run`, `explain` and `call` share. */
import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import { Effect, Layer } from "effect"
import { turn as inboundTurn } from "../../../adapters/InboundMessage.js"
import { type Category, ofItself } from "../../../capabilities/Capabilities.js"
import * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import type * as Policy from "../../../policy/Policy.js"
import type * as Personality from "../../../policy/personality/Personality.js"
import { closest } from "../../../policy/text/Closest.js"
import { quote } from "../../../policy/text/Quote.js"
import { Answering } from "../../../registry/inquiry/Answering.js"
import type * as Registry from "../../../registry/Registry.js"
import type { Event } from "../../../registry/Transcript.js"
import type * as Turn from "../../../registry/Turn.js"
import type { TurnOptions } from "../../Arguments.js"
import { auditFor } from "../../auditing.js"
import { backendsFor } from "../../backends.js"
import { performing } from "../../performing.js"
import type { Tty } from "../../prompt/Tty.js"
import { isDirectory, readText, realPath } from "../../read.js"
import { terminal, visible } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { type Authority, backendSettings } from "../../workspace/Acting.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import type { Tools } from "../../workspace/Tools.js"
import { type AttachmentList, parseAttachments, whyNot } from "./attachmentList.js"

const readAttachments = (
  { attachments: file }: TurnOptions,
  { floor }: Policy.Policy,
  around: Surroundings
): Omit<AttachmentList, "warnings"> => {
  if (file === undefined) return { attachments: [] }
  const text = readText(resolve(around.cwd, file), file)
  const { warnings, ...list } = parseAttachments(file, text, whyNot(floor))
  for (const warning of warnings) around.complain(warning)
  return list
}

/** A name that no tool has is most likely a slip, but a toolset may also be written for more tools than these. */
const warnOfUnknownTools = (
  { id, toolset = [] }: Personality.Personality,
  { tools }: Registry.Registry,
  around: Surroundings
): void => {
  for (const name of toolset) {
    if (tools.has(name)) continue
    const meant = closest(name, tools.keys())
    const hint = meant === undefined ? "" : `; did you mean '${meant}'?`
    around.complain(`the toolset of ${id} names ${quote(name)}, which is no tool here${hint}`)
  }
}

/** Says on standard error what is odd about an authority. */
export const warn = (
  { agent, personality }: Authority,
  registry: Registry.Registry,
  around: Surroundings
): void => {
  if (personality !== undefined) warnOfUnknownTools(personality, registry, around)
  for (const warning of agent?.warnings ?? [])
    around.complain(AgentRecord.message(agent?.file ?? "", warning))
}

/** Where a turn starts: where it is told to, else in the root of the agent when the shell stands outside of it. */
export const workdirOf = (
  { workdir }: Pick<TurnOptions, "workdir">,
  { agent }: Authority,
  setting: Setting
): string => {
  const root = agent?.root
  if (workdir !== undefined || root === undefined || !isDirectory(root)) return setting.workdir
  const real = realPath(root)
  return isBelow(setting.workdir, real) ? setting.workdir : real
}

const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root === "/" ? root : `${root}/`)

export interface Opened {
  readonly turn: Turn.Turn
  /** What a model is given to read, where attachments were named: the block of them, and what their message says. */
  readonly text: string | undefined
  /** A session that nobody named ends with its calls, and leaves nothing in the store. */
  readonly isNamed: boolean
}

/** Throws a `CliError`; says on standard error what is odd about the authority. */
export const openTurn = (
  options: TurnOptions,
  authority: Authority,
  { registry, setting }: Tools,
  around: Surroundings
): Opened => {
  const { policy } = authority
  const { attachments, message } = readAttachments(options, policy, around)
  const session = options.session ?? message?.sessionKey
  const { text, turn } = inboundTurn(
    { sessionKey: session ?? randomUUID(), text: message?.text ?? "", attachments },
    policy,
    { workdir: workdirOf(options, authority, setting), home: setting.home }
  )
  warn(authority, registry, around)
  return {
    turn,
    text: options.attachments === undefined ? undefined : text,
    isNamed: session !== undefined
  }
}

export const endingSession = <A>(
  { isNamed, turn }: Opened,
  registry: Registry.Registry,
  calls: Effect.Effect<A>
): Effect.Effect<A> =>
  isNamed ? calls : Effect.ensuring(calls, Effect.ignore(registry.endSession(turn.session)))

/** What these tools declare; of a server's, what the server stands on. */
export const categoriesOf = (
  names: Iterable<string>,
  { registry: { tools }, serverNeeds = () => [] }: Tools
): ReadonlySet<Category> =>
  new Set(
    [...names].flatMap((name) => {
      const tool = tools.get(name)
      if (tool === undefined) return []
      return [...(Object.keys(ofItself(tool.capabilities)) as ReadonlyArray<Category>), ...serverNeeds(name)]
    })
  )

/** Where somebody can be asked what servers ask, and what keeps other lines off the screen meanwhile. */
export interface AtTerminal {
  readonly tty: Tty | undefined
  readonly quietly?: (() => () => void) | undefined
}

/** What asks people is loaded only where a server could. */
const answered = async <A>(
  effect: Effect.Effect<A>,
  names: ReadonlyArray<string>,
  { registry: { origins } }: Tools,
  { quietly, tty }: AtTerminal,
  around: Surroundings
): Promise<Effect.Effect<A>> => {
  if (tty === undefined || !names.some((name) => origins.get(name)?.server !== undefined)) return effect
  const { terminalAnswers } = await import("./terminalAnswers.js")
  return Effect.provideService(effect, Answering, terminalAnswers(around, tty, quietly))
}

/**
 * Runs what calls these tools over the backends and services that they need, until it is done or interrupted. What is decided
 * is kept, unless nothing is done.
 */
export const overBackends = async <A>(
  effect: Effect.Effect<A>,
  names: ReadonlyArray<string>,
  tools: Tools,
  around: Surroundings,
  { acts = true, ...asked }: AtTerminal & { readonly acts?: boolean }
): Promise<A> => {
  const { layerFor, setting } = tools
  const settings = backendSettings(setting, around)
  const needed = await backendsFor(categoriesOf(names, tools), settings)
  const backends = acts ? Layer.merge(needed, await auditFor(settings)) : needed
  const whole = await answered(effect, names, tools, asked, around)
  return performing(whole, { backends, services: layerFor(names) }, around)
}

/** A refusal in one line, for whoever watches a terminal. */
export const refusalLine = (
  { agent, code, detail, tool }: Event,
  { env, stderr }: Pick<Surroundings, "env" | "stderr">
): string => {
  const who = agent === undefined ? tool : `${agent}, ${tool}`
  const what = visible(`${who}: ${code}: ${detail}`).replaceAll("\n", " ")
  return `${terminal({ ...stderr, env }).yellow("refused")} ${what}`
}

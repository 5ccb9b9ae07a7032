/**
 * A policy compiled for tools: what each may touch, worked out once per policy revision and kept. A tool is compiled
 * when it is first needed, so that a registry of thousands costs nothing until it is used.
 *
 * @since 0.1.0
 */
import { type Effect, Either, type ParseResult, Schema } from "effect"
import { ofItself, walk } from "../capabilities/Capabilities.js"
import * as Declaration from "../capabilities/Declaration.js"
import { usable } from "../capabilities/secrets/SecretsDeclaration.js"
import * as Authority from "../policy/lattice/Authority.js"
import { type Capability, capabilities } from "../policy/lattice/Facets.js"
import * as Policy from "../policy/Policy.js"
import * as Requirement from "../policy/Requirement.js"
import { type Origin, serverOf } from "../policy/ToolOrigin.js"
import { closed, mayWait } from "../tools/Parameters.js"
import { options, quickDecoder } from "../tools/QuickDecoder.js"
import type * as Tool from "../tools/Tool.js"
import { NotAvailable } from "./NotAvailable.js"
import * as Resolution from "./Resolution.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Planned {
  readonly tool: Tool.Any
  /** The meet of its declaration and the policy. */
  readonly authority: Authority.Authority
  readonly decode: (input: unknown) => Effect.Effect<unknown, ParseResult.ParseError>
  /** Decodes most of what fits, and is `unsure` of the rest. */
  readonly quick: ((input: unknown) => unknown) | undefined
  readonly encode: ((value: unknown) => Effect.Effect<unknown, ParseResult.ParseError>) | undefined
}

/**
 * What a tool was registered for, and on what terms.
 *
 * @since 0.1.0
 * @category models
 */
export interface Registration extends Origin {
  /** What must be held as a whole. */
  readonly requires?: Authority.Authority | "unknown" | undefined
  /** What its server is started with, besides that. */
  readonly own?: Authority.Authority | undefined
  /** What its server is started as, where that is here. */
  readonly starts?: { readonly argv: ReadonlyArray<string>; readonly cwd: string } | undefined
  /** Why it is withheld for now. */
  readonly withheld?: string | undefined
}

/**
 * Why a tool that the toolset offers is not offered all the same.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unheld {
  readonly code: "REQUIREMENT_NOT_HELD" | "TOOL_WITHHELD"
  readonly why: string
  readonly needs: ReadonlyArray<Capability>
  readonly remedy: string
}

/**
 * @since 0.1.0
 * @category models
 */
export type Codecs = Pick<Planned, "decode" | "encode" | "quick">

/** What does not depend on the policy. */
const codecs = new WeakMap<Tool.Any, Codecs>()

/** A schema without code that could wait is decoded at once, which takes a third of the time. */
const decoderOf = (parameters: Schema.Schema.AnyNoContext): Planned["decode"] =>
  mayWait(parameters.ast)
    ? Schema.decodeUnknown(parameters, options)
    : Schema.decodeUnknownEither(parameters, options)

const encoderOf = (success: Schema.Schema.AnyNoContext): Planned["encode"] =>
  mayWait(success.ast) ? Schema.encodeUnknown(success) : Schema.encodeUnknownEither(success)

/**
 * How a tool's arguments are read, and its answer is written.
 *
 * @since 0.1.0
 * @category resolving
 */
export const codecsOf = (tool: Tool.Any): Codecs => {
  const known = codecs.get(tool)
  if (known !== undefined) return known
  const parameters = closed(tool.parameters)
  const made = {
    decode: decoderOf(parameters),
    quick: quickDecoder(parameters.ast),
    encode: tool.success === undefined ? undefined : encoderOf(tool.success)
  }
  codecs.set(tool, made)
  return made
}

/**
 * @since 0.1.0
 * @category models
 */
export class Plan {
  private readonly planned = new WeakMap<Tool.Any, Either.Either<Planned, NotAvailable>>()
  private readonly offering = new Map<
    string,
    { readonly origin: Registration | undefined; readonly offers: boolean }
  >()
  private readonly requiring = new WeakMap<Registration, Unheld | "held">()

  /** @internal */
  constructor(
    readonly policy: Policy.Policy,
    readonly home: string | undefined,
    private readonly tools: ReadonlyMap<string, Tool.Any>,
    private readonly origins: ReadonlyMap<string, Registration>,
    private readonly servers: ReadonlyMap<string, unknown> = new Map()
  ) {}

  /** Whether the policy offers the tool of this name. It is asked again when the name is another's. */
  offers(name: string): boolean {
    const origin = this.origins.get(name)
    const known = this.offering.get(name)
    if (known !== undefined && known.origin === origin) return known.offers
    const offers = Policy.offers(this.policy, { name, ...origin })
    // A name that nobody has is a stranger's, and there is no end to those.
    if (this.tools.has(name)) this.offering.set(name, { origin, offers })
    return offers
  }

  /** What to write so that it does. */
  remedyFor(name: string): string {
    return Policy.remedyFor(this.policy, { name, ...this.origins.get(name) })
  }

  /** Whether there is a tool of this name, offered or not. */
  knows(name: string): boolean {
    return this.tools.has(name)
  }

  /** What the tool was registered for; one that the host registered itself, for nothing. */
  registered(name: string): Registration | undefined {
    return this.origins.get(name)
  }

  /** What the tool was registered for. */
  originOf(name: string): Origin {
    const { module, plugin, server } = this.registered(name) ?? {}
    return { module, plugin, server }
  }

  /** The server that a name says it is of, and that nobody has configured. */
  unconfigured(name: string): string | undefined {
    const server = serverOf(name)
    if (server === undefined || this.servers.has(server)) return undefined
    for (const origin of this.origins.values()) if (origin.server === server) return undefined
    return server
  }

  /** Why not all is held that the tool was registered to require, or why it is withheld. */
  unheld(name: string): Unheld | undefined {
    const registered = this.registered(name)
    if (registered === undefined) return undefined
    const known = this.requiring.get(registered) ?? this.unheldBy(registered) ?? "held"
    this.requiring.set(registered, known)
    return known === "held" ? undefined : known
  }

  private unheldBy({ requires, server, withheld }: Registration): Unheld | undefined {
    if (withheld !== undefined) {
      return {
        code: "TOOL_WITHHELD",
        why: withheld,
        needs: [],
        remedy: "look at what changed, and run 'bailiwick manifest' to accept it"
      }
    }
    if (requires === undefined) return undefined
    const who = server === undefined ? "the tool" : `the MCP server ${server}`
    if (requires === "unknown") {
      const why = `it is not known what ${who} requires, so that it is offered to nobody`
      return { code: "REQUIREMENT_NOT_HELD", why, needs: [], remedy: `write what ${who} requires` }
    }
    const lacking = Requirement.lacking(this.policy, requires)
    if (lacking.length === 0) return undefined
    return {
      code: "REQUIREMENT_NOT_HELD",
      why: `${who} requires what is not held: ${Requirement.inWords(lacking)}`,
      needs: [...new Set(lacking.map(({ capability }) => capability))],
      remedy: `grant all that ${who} requires, or call another tool`
    }
  }

  /** The tools that the policy offers. */
  get offered(): ReadonlyArray<Tool.Any> {
    return [...this.tools.values()].filter(({ name }) => this.offers(name))
  }

  of(tool: Tool.Any): Either.Either<Planned, NotAvailable> {
    const known = this.planned.get(tool)
    if (known !== undefined) return known
    const compiled = Either.mapBoth(
      Resolution.authority(
        this.policy,
        tool.capabilities,
        this.home === undefined ? {} : { home: this.home }
      ),
      {
        onLeft: ({ detail }) => new NotAvailable({ tool: tool.name, category: "fs_reach", detail }),
        onRight: (authority): Planned => ({ tool, authority, ...codecsOf(tool) })
      }
    )
    this.planned.set(tool, compiled)
    return compiled
  }

  /** Whether the policy leaves a tool something to do. */
  leaves(tool: Tool.Any): boolean {
    return this.lacking(tool).length === 0
  }

  /** What the policy would have to give for the tool to have something to do: any of these. */
  lacking(tool: Tool.Any): ReadonlyArray<Capability> {
    const planned = this.of(tool)
    if (planned._tag === "Left") return needsOf(tool)
    return lackingOf(this.policy, tool, planned.right.authority)
  }
}

type Declared = Pick<Tool.Any, "capabilities" | "needs">

/**
 * What a policy would have to give for something that is declared to be of use: any of these. `authority` is what it gives.
 *
 * @since 0.1.0
 * @category resolving
 */
export const lackingOf = (
  { mentioned }: Pick<Policy.Policy, "mentioned">,
  tool: Declared,
  authority: Authority.Authority
): ReadonlyArray<Capability> => {
  const held = usable(authority, tool.capabilities.secrets)
  const { read, seal } = authority.scopes.secrets
  // A grant that demands sealing speaks of a secret, and gives nothing of it to who would read it.
  const isSealed = read.isEmpty && !seal.isEmpty
  const has = (capability: Capability) =>
    (mentioned.has(capability) && !(isSealed && capability.startsWith("secrets."))) ||
    Authority.shown(held, capability).length > 0
  if (tool.needs !== undefined) return tool.needs.some(has) ? [] : tool.needs
  return categoriesOf(tool)
    .filter((capabilities) => !capabilities.some(has))
    .flatMap((capabilities) => capabilities[0] ?? [])
}

/** The capabilities of each category that a tool declares something of. */
const categoriesOf = (tool: Declared): ReadonlyArray<ReadonlyArray<Capability>> => {
  const declared = Either.getOrElse(
    Declaration.authority(tool.capabilities, { home: "/" }),
    () => Authority.nothing
  )
  return walk(ofItself(tool.capabilities), ({ facet }) => {
    const touched = capabilities
      .filter((one) => one.facet === facet && Authority.shown(declared, one.name).length > 0)
      .map(({ name }) => name)
    return touched.length === 0 ? [] : [touched]
  }).flat()
}

/**
 * What a tool needs something of: what it says itself, or of each category the first that it declares.
 *
 * @since 0.1.0
 * @category resolving
 */
export const needsOf = (tool: Tool.Any): ReadonlyArray<Capability> =>
  tool.needs ?? categoriesOf(tool).flatMap((capabilities) => capabilities[0] ?? [])

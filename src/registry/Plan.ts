/**
 * A policy compiled for tools: what each may touch, worked out once per policy revision and kept. A tool is compiled
 * when it is first needed, so that a registry of thousands costs nothing until it is used.
 *
 * @since 0.1.0
 */
import { Either, type ParseResult, Schema } from "effect"
import * as Authority from "../policy/Authority.js"
import type { Facet } from "../policy/Facets.js"
import * as Policy from "../policy/Policy.js"
import { closed } from "../tools/internal/parameters.js"
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
  readonly decode: (input: unknown) => Either.Either<unknown, ParseResult.ParseError>
  readonly encode: ((value: unknown) => Either.Either<unknown, ParseResult.ParseError>) | undefined
}

/** What does not depend on the policy. */
const codecs = new WeakMap<Tool.Any, Pick<Planned, "decode" | "encode">>()

const codecsOf = (tool: Tool.Any): Pick<Planned, "decode" | "encode"> => {
  const known = codecs.get(tool)
  if (known !== undefined) return known
  const made = {
    decode: Schema.decodeUnknownEither(closed(tool.parameters), { onExcessProperty: "error" }),
    encode: tool.success === undefined ? undefined : Schema.encodeUnknownEither(tool.success)
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

  /** @internal */
  constructor(
    readonly policy: Policy.Policy,
    readonly home: string | undefined,
    private readonly tools: ReadonlyMap<string, Tool.Any>
  ) {}

  /** The tools that the policy's toolset has. */
  get offered(): ReadonlyArray<Tool.Any> {
    return [...this.tools.values()].filter(({ name }) => Policy.offers(this.policy, name))
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

  /** Whether the policy leaves a tool something of every category that it declares something of. */
  leaves(tool: Tool.Any): boolean {
    const planned = this.of(tool)
    return (
      planned._tag === "Right" &&
      Object.keys(tool.capabilities).every((category) => {
        const facet = category === "fs_reach" ? "files" : (category as Facet)
        return (
          Resolution.isEmpty(tool, facet) ||
          !Authority.isNothing(Authority.pick(planned.right.authority, facet))
        )
      })
    )
  }
}

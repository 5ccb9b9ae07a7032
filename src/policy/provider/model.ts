/** What a provider's tool is, and how one is made. */
import { Either } from "effect"
import * as Catalog from "../grant/Catalog.js"
import * as Authority from "../lattice/Authority.js"
import { facets } from "../lattice/Facets.js"
import { ScopeInvalid } from "../lattice/ScopeInvalid.js"
import * as ScopeSet from "../lattice/ScopeSet.js"
import { quote } from "../text/Quote.js"
import { type Note, toDomains, type Untranslatable } from "./domains.js"

/**
 * What is granted of a tool's need, in the provider's form. `narrowed` is granted and not in it; `widened` is in it
 * with more than is granted, because the provider knows no less.
 *
 * @since 0.1.0
 * @category models
 */
export interface Translated<out Args extends object = object> {
  readonly args: Args
  readonly narrowed: ReadonlyArray<Note>
  readonly widened: ReadonlyArray<Note>
}

/**
 * Says what is granted in the provider's form, for its request.
 *
 * @since 0.1.0
 * @category models
 */
export type Translate<Args extends object = object> = (
  granted: Authority.Authority
) => Either.Either<Translated<Args>, Untranslatable>

/**
 * `type` is how the request calls the version that this describes. `scoped` is whether the provider can be told how
 * much of its need a tool gets.
 *
 * @since 0.1.0
 * @category models
 */
export interface ProviderTool<out Args extends object = object> {
  readonly provider: string
  readonly name: string
  readonly type: string
  readonly description: string
  readonly needs: Authority.Authority
  readonly scoped: boolean
  readonly translate: Translate<Args>
}

const explicit = (name: string): Authority.Authority =>
  Authority.make({
    provider: {
      use: Either.getOrThrowWith(ScopeSet.decode(facets.provider.use, [name]), (problem) => problem)
    }
  })

const asItIs: Translate<{}> = () => Either.right({ args: {}, narrowed: [], widened: [] })

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly provider: string
  readonly name: string
  readonly type?: string | undefined
  readonly description?: string | undefined
  readonly needs?: Authority.Authority | undefined
}

/**
 * A tool with `translate` needs something of each capability in `needs`, and is told how much. One without needs all
 * of `needs`, and `provider.<name>` besides: a wildcard of another family never opens it. A name that cannot be granted
 * throws.
 *
 * @since 0.1.0
 * @category constructors
 */
export function make<Args extends object>(
  options: Options & { readonly translate: Translate<Args> }
): ProviderTool<Args>
export function make(options: Options): ProviderTool<{}>
export function make(options: Options & { readonly translate?: Translate }): ProviderTool {
  const { description = "", name, needs = Authority.nothing, provider, translate, type = name } = options
  if (Catalog.find(`${Catalog.PROVIDER}${name}`) === undefined) {
    const detail = `${quote(name)} cannot be granted; write lower-case letters, digits and '_'`
    throw new ScopeInvalid({ code: "NAME_INVALID", detail })
  }
  const scoped = translate !== undefined && !Authority.isNothing(needs)
  return Object.freeze({
    provider,
    name,
    type,
    description,
    needs: scoped ? needs : Authority.join(needs, explicit(name)),
    scoped,
    translate: translate ?? asItIs
  })
}

/**
 * Translates the hosts of `network.get` to lists of domains, for providers in whose lists a domain takes in everything
 * below it. `open` is what to send when every host is granted. Without `block` there are no exceptions, and without
 * `limit` a list may be of any length.
 *
 * @since 0.1.0
 * @category constructors
 */
export const domains =
  <Args extends object>(form: {
    readonly open: Args
    readonly allow: (domains: ReadonlyArray<string>) => Args
    readonly block?: ((domains: ReadonlyArray<string>) => Args) | undefined
    readonly limit?: number | undefined
  }): Translate<Args> =>
  (granted) => {
    const { allow, block, limit = Number.POSITIVE_INFINITY, open } = form
    return Either.map(
      toDomains(granted.scopes.network.get, { blocks: block !== undefined, limit }),
      ({ domains, list, narrowed, widened }) => {
        const write = list === "block" && block !== undefined ? block : allow
        return { args: domains === undefined ? open : write(domains), narrowed, widened }
      }
    )
  }

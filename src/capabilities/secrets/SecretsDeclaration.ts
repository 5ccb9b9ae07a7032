/**
 * What a tool declares of secrets: refs that it reads, and refs that it sends sealed, with the hosts and the places that
 * they may go to.
 *
 * @since 0.1.0
 */
import { Either, Schema } from "effect"
import * as Authority from "../../policy/lattice/Authority.js"
import * as Endpoint from "../../policy/lattice/dimensions/Endpoint.js"
import * as Place from "../../policy/lattice/dimensions/Place.js"
import { ref } from "../../policy/lattice/dimensions/Ref.js"
import { facets } from "../../policy/lattice/Facets.js"
import { invalid, type ScopeInvalid } from "../../policy/lattice/ScopeInvalid.js"
import { type Constraints, ScopeSet } from "../../policy/lattice/ScopeSet.js"
import { declared } from "../declared.js"

/**
 * A reference that a tool declares: a name, or `a/b/*` for everything that lies deeper than `a/b`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SecretRef = declared("SecretRef", ref.parse)

/** Hosts with or without a port. A secret that may go anywhere is not sealed. */
const hostOf = (text: string) =>
  /^\*(?::\d+)?$/.test(text)
    ? invalid(
        "HOST_INVALID",
        "'*' is every host, and a sealed secret goes to those that are named; name them"
      )
    : Endpoint.to.parse(text)

const SealHost = declared("SealHost", hostOf)

const SealPlace = declared("SealPlace", Place.place.parse)

const some = { message: () => "name at least one, or leave the entry out" }

/**
 * A secret that the tool sends and never sees.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SealedSecret = Schema.Struct({
  ref: SecretRef,
  hosts: Schema.Array(SealHost).pipe(Schema.minItems(1, some)),
  in: Schema.optionalWith(Schema.Array(SealPlace).pipe(Schema.minItems(1, some)), { exact: true })
}).annotations({ parseOptions: { onExcessProperty: "error" } })

/**
 * The `secrets` of a declaration.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SecretsDeclaration = Schema.Array(Schema.Union(SecretRef, SealedSecret))

type Declared = typeof SecretsDeclaration.Type

type Sealed = typeof SealedSecret.Type

/** Where a sealed secret stands, unless it is said: body, query and path must be named. */
const PLACES = ["header:authorization"] as const

/**
 * The places of an entry, as they are written or understood.
 *
 * @since 0.1.0
 * @category models
 */
export const placesOf = ({ in: places = PLACES }: Pick<Sealed, "in">): ReadonlyArray<string> => places

const isSealed = (entry: Declared[number]): entry is Sealed => typeof entry === "object"

/**
 * @since 0.1.0
 * @category models
 */
export const sealedOf = (declaration: Declared): ReadonlyArray<Sealed> => declaration.filter(isSealed)

/**
 * Every ref that a declaration speaks of.
 *
 * @since 0.1.0
 * @category models
 */
export const refsOf = (declaration: Declared): ReadonlyArray<string> => [
  ...new Set(declaration.map((entry) => (isSealed(entry) ? entry.ref : entry)))
]

/**
 * The refs that are read as they are.
 *
 * @since 0.1.0
 * @category models
 */
export const plainOf = (declaration: Declared): ReadonlyArray<string> =>
  declaration.flatMap((entry) => (isSealed(entry) ? [] : [entry]))

const alternatives = (entry: Sealed): Either.Either<ReadonlyArray<Constraints>, ScopeInvalid> =>
  Either.gen(function* () {
    const named = yield* ref.parse(entry.ref)
    const hosts = yield* Either.all(entry.hosts.map(hostOf))
    const places = yield* Either.all(placesOf(entry).map(Place.place.parse))
    return hosts.flatMap((to) => places.map((place) => ({ ref: [named], to: [to], in: [place] })))
  })

/**
 * Where the sealed secrets of a declaration may go.
 *
 * @since 0.1.0
 * @category compiling
 */
export const sealScopes = (declaration: Declared): Either.Either<ScopeSet, ScopeInvalid> =>
  Either.map(Either.all(sealedOf(declaration).map(alternatives)), (all) =>
    ScopeSet.make(facets.secrets.seal, all.flat())
  )

/**
 * The sealed secrets of a declaration, and nothing else: what a token may ever be used for.
 *
 * @since 0.1.0
 * @category compiling
 */
export const sealedAuthority = (declaration: Declared): Authority.Authority =>
  Either.match(sealScopes(declaration), {
    onLeft: () => Authority.nothing,
    onRight: (seal) => Authority.make({ secrets: { seal } })
  })

/**
 * What of an authority is of use to a tool: a secret that it may not read goes where it is declared to go, and nowhere else.
 *
 * @since 0.1.0
 * @category compiling
 */
export const usable = (authority: Authority.Authority, declaration: Declared = []): Authority.Authority => {
  const { read, seal } = authority.scopes.secrets
  if (seal.isEmpty) return authority
  return Authority.join(
    Authority.make({ ...authority.scopes, secrets: { read } }),
    Authority.meet(authority, sealedAuthority(declaration))
  )
}

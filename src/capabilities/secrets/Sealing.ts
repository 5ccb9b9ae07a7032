/**
 * Sealed secrets of one tool in one turn: the tokens that it holds, what each of them may be used for, and the values, which
 * only those who send requests are given.
 *
 * @since 0.1.0
 */
import { Effect, Either, ParseResult, Redacted, Schema } from "effect"
import * as Asking from "../../policy/gate/Asking.js"
import * as Gate from "../../policy/gate/Gate.js"
import * as Authority from "../../policy/lattice/Authority.js"
import * as Request from "../../policy/lattice/Request.js"
import { malformed } from "./malformed.js"
import { SealForm } from "./SealForm.js"
import { Seals } from "./Seals.js"
import type { SecretsBackend } from "./SecretsBackend.js"
import { placesOf, type SecretsDeclaration, sealedAuthority, sealedOf } from "./SecretsDeclaration.js"
import { SecretsError } from "./SecretsOperations.js"

/**
 * Takes bytes that come one after the other, and gives them without the values, also those that are split between them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sieve {
  readonly push: (bytes: Uint8Array) => Uint8Array
  /** What was held back. */
  readonly end: () => Uint8Array
}

/**
 * Takes values out of what is shown.
 *
 * @since 0.1.0
 * @category models
 */
export interface Scrubbing {
  readonly text: (text: string) => string
  readonly bytes: (bytes: Uint8Array) => Uint8Array
  readonly value: <A>(value: A) => A
  /** `byLine`: what stands in one line is handed on with the line, and no value is sought across two. */
  readonly sieve: (byLine: boolean) => Sieve
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Given {
  readonly holder: Asking.Holder
  readonly declared: typeof SecretsDeclaration.Type
  /** What the policy holds by itself; without it, what the holder does. */
  readonly policy?: Authority.Authority | undefined
  /** Where values come from; nothing is sealed without it. */
  readonly backend: SecretsBackend.Service | undefined
  readonly revealed: (value: string) => void
  /** Knows every value that was given out, and those that it is given here. */
  readonly scrubbing: (further: ReadonlyArray<string>) => Scrubbing
}

/** What is shorter is in every other text, and cannot be kept out of answers. */
const SHORTEST = 4

const problems = Schema.decodeUnknownEither(SealForm, { onExcessProperty: "error", errors: "first" })

const NOT_SEALED = "the requested secret is not among those that the tool declares with their hosts"

/**
 * @since 0.1.0
 * @category models
 */
export class Sealing {
  readonly seals = new Seals()
  readonly scrubbing: Given["scrubbing"]
  readonly #holder: Asking.Holder
  readonly #given: Given
  readonly #gate: Gate.Gate<SecretsError>
  readonly #recalled = new Set<string>()
  #hasGiven = false

  constructor(given: Given) {
    const { declared, holder } = given
    this.#given = given
    this.scrubbing = given.scrubbing
    // A secret that may be read is not bound to a host: only what is declared with its hosts is sealed.
    this.#holder = { ...holder, authority: Authority.meet(holder.authority, sealedAuthority(declared)) }
    this.#gate = Gate.make(this.#holder, given.backend ?? this, {
      denied: (denial) =>
        new SecretsError({
          code: "SECRET_NOT_DECLARED",
          detail: denial.code === "SECRET_NOT_DECLARED" ? NOT_SEALED : denial.detail,
          denial
        }),
      malformed
    })
  }

  /** Whether the tool has secrets that it may send and not see. */
  get isDeclared(): boolean {
    return this.#given.declared.some((entry) => typeof entry !== "string")
  }

  /** Whether somebody has a value, who may say it in any answer from then on. */
  get hasGiven(): boolean {
    return this.#hasGiven
  }

  /** A token for a secret that may go somewhere. */
  token(ref: string, form: SealForm | undefined): Effect.Effect<string, SecretsError> {
    return Effect.suspend(() => {
      const wrong = form === undefined ? undefined : objection(form)
      if (wrong !== undefined) return Effect.fail(new SecretsError({ code: "SEAL_INVALID", detail: wrong }))
      // To nowhere: it is allowed if it is for some host and place, and refused in the words of the gate otherwise.
      const made = Request.seal(ref, "nowhere.invalid", 443, "header:authorization")
      const isHeld =
        made._tag === "Right" && Authority.couldPermit(this.#holder.authority, made.right, "to", "in")
      const allowed = isHeld ? this.#gate.standing("secrets.seal") : Effect.asVoid(this.#gate.ask(made))
      return Effect.flatMap(allowed, () => {
        const token = this.seals.mint(ref, form)
        return token === undefined
          ? Effect.fail(new SecretsError({ code: "SEAL_INVALID", detail: TOO_MANY }))
          : Effect.succeed(token)
      })
    })
  }

  /** The value, for a request to a host and port that carries it in a place: asked, and heard. */
  value(ref: string, host: string, port: number, place: string): Effect.Effect<string, SecretsError> {
    const { backend, revealed } = this.#given
    if (backend === undefined) return Effect.fail(absent())
    return Effect.flatMap(this.#gate.ask(Request.seal(ref, host, port, place)), (proof) =>
      Effect.flatMap(
        Effect.catchAll(backend.get(proof), (error) => this.#unread(error)),
        (found) => {
          const value = Redacted.value(found)
          this.#hasGiven = true
          for (const one of spellings(value)) revealed(one)
          return value.length < SHORTEST ? Effect.fail(tooShort()) : Effect.succeed(value)
        }
      )
    )
  }

  /**
   * Has the values known that may go to a host, which may have kept them from an earlier run of the program. Nobody hears of
   * it: they go nowhere.
   */
  recall(host: string, port: number): Effect.Effect<void> {
    const { backend, declared, revealed } = this.#given
    const at = `${host}:${port}`
    if (backend === undefined || this.#recalled.has(at)) return Effect.void
    const holder = { ...this.#holder, backend, observe: () => {}, isAlive: () => true }
    const found = sealedOf(declared).flatMap((entry) =>
      placesOf(entry)
        .map((place) => (place === "header" || place === "query" ? `${place}:any` : place))
        .flatMap((place) => {
          const asked = Asking.ask(holder, Request.seal(entry.ref, host, port, place))
          return Either.isRight(asked) ? [asked.right] : []
        })
        .slice(0, 1)
    )
    const reading = Effect.forEach(found, (proof) =>
      Effect.ignore(
        Effect.map(backend.get(proof), (value) => {
          this.#hasGiven = true
          for (const one of spellings(Redacted.value(value))) revealed(one)
        })
      )
    )
    return Effect.map(reading, () => void this.#recalled.add(at))
  }

  /** Whether the policy names an endpoint as one of its own, where there need be no https. What a tool names says nothing. */
  isPrivate(host: string, port: number): boolean {
    const { holder, policy = holder.authority } = this.#given
    const asked = Request.connect(host, port)
    return Authority.namesEndpoint(policy, asked) && Authority.namesEndpoint(holder.authority, asked)
  }

  /** Whether a request to a host and port may carry some secret in its body. */
  mayStandInBody(host: string, port: number): boolean {
    const made = Request.seal("ANY", host, port, "body")
    return made._tag === "Right" && Authority.couldPermit(this.#holder.authority, made.right, "ref")
  }

  /** Whether some secret may go to a host and port. */
  isFor(host: string, port: number): boolean {
    const made = Request.seal("ANY", host, port, "body")
    return made._tag === "Right" && Authority.couldPermit(this.#holder.authority, made.right, "ref", "in")
  }

  /** Where secrets come from is the operator's business: what a backend says goes to the log. */
  #unread(error: SecretsError): Effect.Effect<never, SecretsError> {
    const { session, tool } = this.#holder
    return Effect.zipRight(
      Effect.annotateLogs(Effect.logWarning(`Secrets.sealed: ${error.message}`), { tool, session }),
      new SecretsError({ code: error.code, detail: UNREAD })
    )
  }
}

/** A host name or the name of a header loses its case on the way: what comes back so is the value all the same. */
const spellings = (value: string): ReadonlyArray<string> =>
  value.length < CASELESS ? [value] : [...new Set([value, value.toLowerCase(), value.toUpperCase()])]

const CASELESS = 8

const UNREAD = "a sealed secret is not there, or could not be read; ask the operator: the log says why"

const TOO_MANY = "the tool has taken too many different tokens in this turn; take one, and use it again"

const absent = () =>
  new SecretsError({ code: "SECRETS_FAILED", detail: "there is no backend of secrets; ask the operator" })

const tooShort = () =>
  new SecretsError({
    code: "SECRETS_FAILED",
    detail: `a sealed secret has at least ${SHORTEST} characters, or it could not be kept out of answers; ask the operator`
  })

const objection = (form: unknown): string | undefined => {
  const read = problems(form)
  if (read._tag === "Left") {
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(read.left)
    return `the form of a sealed secret is wrong: ${(issue?.message ?? "").slice(0, 300)}`
  }
  return read.right.as === "basic" && (read.right.user === undefined) === (read.right.password === undefined)
    ? "Basic authentication has a user, whose password the secret is, or a password, whose user it is"
    : undefined
}

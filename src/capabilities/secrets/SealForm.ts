/**
 * What a sealed secret becomes where it is put: itself, a part of Basic authentication, or the key of a signature over the
 * request that is sent.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** A colon would end it, and what HTTP cannot carry would be refused later. */
const User = Schema.String.pipe(
  Schema.pattern(/^[^:\p{Cc}]{0,256}$/u, {
    message: () => "a user holds no colon and no control characters"
  })
)

const Password = Schema.String.pipe(
  Schema.pattern(/^[^\p{Cc}]{0,256}$/u, { message: () => "a password holds no control characters" })
)

const Basic = Schema.Struct({
  as: Schema.Literal("basic"),
  /** The secret is the password of this user. */
  user: Schema.optionalWith(User, { exact: true }),
  /** The secret is the user, with this password; often it is empty. */
  password: Schema.optionalWith(Password, { exact: true })
})

/** Of the request that is sent. `=v0` is a word of its own: short, so that nothing is handed in to be signed. */
const Part = Schema.String.pipe(
  Schema.pattern(
    /^(?:method|host|path|query|target|url|body|body:sha256|header:[A-Za-z0-9!#$%&'+.^_`|~-]{1,128}|=[A-Za-z0-9_-]{1,16})$/,
    {
      message: () =>
        "a part of a signature is 'method', 'host', 'path', 'query', 'target', 'url', 'body', 'body:sha256', 'header:NAME', or a short word such as '=v0'"
    }
  )
)

const Hmac = Schema.Struct({
  as: Schema.Literal("hmac"),
  /** What it is over, of the request as it is sent. */
  over: Schema.NonEmptyArray(Part).pipe(
    Schema.filter((parts) => parts.some((part) => !part.startsWith("=")), {
      message: () => "a signature is over something of the request"
    })
  ),
  /** What stands between the parts: nothing, unless given. */
  join: Schema.optionalWith(Schema.Literal("", "\n", ".", ":", "|", "&", " "), { exact: true }),
  hash: Schema.optionalWith(Schema.Literal("sha1", "sha256", "sha512"), { exact: true }),
  encoding: Schema.optionalWith(Schema.Literal("hex", "base64", "base64url"), { exact: true }),
  /** How the secret is written; `base64` also with `whsec_` before it. */
  key: Schema.optionalWith(Schema.Literal("text", "base64", "hex"), { exact: true })
})

const Name = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9_.:@-]{1,128}$/, {
    message: () => "a name of AWS is letters, digits and _ . : @ -"
  })
)

const Aws4 = Schema.Struct({
  as: Schema.Literal("aws4"),
  accessKeyId: Name,
  region: Name,
  service: Name
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const SealForm = Schema.Union(Basic, Hmac, Aws4)

/**
 * @since 0.1.0
 * @category models
 */
export type SealForm = typeof SealForm.Type

/**
 * Whether what is put in place is made from the whole request.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isSignature = (form: SealForm | undefined): form is Exclude<SealForm, { as: "basic" }> =>
  form !== undefined && form.as !== "basic"

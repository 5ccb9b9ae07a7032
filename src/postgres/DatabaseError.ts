/**
 * What goes wrong between this program and PostgreSQL, in words. They name no host, user, password or content: a model may
 * read them.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** No space, no memory, a standby that is made the primary: what stands so on the server, and is another matter than this program. */
const MENDED_THERE: ReadonlySet<string> = new Set(["53100", "53200", "25006"])

/**
 * - `away`: the statement was not sent, because PostgreSQL is not there or does not let this program in.
 * - `unknown`: PostgreSQL went away while the statement ran; it was done, or it was not.
 * - `busy`: PostgreSQL gave it up, and did nothing, because it took too long.
 * - `refused`: PostgreSQL did not do it, and will not until somebody changes something.
 *
 * @since 0.1.0
 * @category errors
 */
export class DatabaseError extends Schema.TaggedError<DatabaseError>("bailiwick/postgres/DatabaseError")(
  "DatabaseError",
  {
    kind: Schema.Literal("away", "unknown", "busy", "refused"),
    detail: Schema.String,
    /** What PostgreSQL or the system calls it, where it has a name. */
    named: Schema.optionalWith(Schema.String, { exact: true }),
    /** Where it is `away` for what PostgreSQL refused, and will refuse the next time. */
    isRefused: Schema.optionalWith(Schema.Boolean, { exact: true }),
    /** What only whoever runs the program is to know, such as the name of a secret. */
    forOperators: Schema.optionalWith(Schema.String, { exact: true })
  }
) {
  /** @since 0.1.0 */
  override get message(): string {
    return this.detail
  }

  /**
   * Whether it stays so until somebody changes something.
   *
   * @since 0.1.0
   */
  get isLasting(): boolean {
    return (this.kind === "refused" || this.isRefused === true) && !MENDED_THERE.has(this.named ?? "")
  }

  /**
   * For whoever runs the program.
   *
   * @since 0.1.0
   */
  get told(): string {
    return this.forOperators ?? this.detail
  }
}

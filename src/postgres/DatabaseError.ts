/**
 * What goes wrong between this program and PostgreSQL, in words. They name no host, user, password or content: a model may
 * read them.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

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
    /** What only whoever runs the program is to know, such as the name of a secret. */
    forOperators: Schema.optionalWith(Schema.String, { exact: true })
  }
) {
  /** @since 0.1.0 */
  override get message(): string {
    return this.detail
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

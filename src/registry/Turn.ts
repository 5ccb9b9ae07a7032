/**
 * One turn of an agent: who it is, where it works, what came with it, and what it may touch. A turn is a snapshot: what
 * is edited while it runs is seen by the next.
 *
 * @since 0.1.0
 */
import { Duration, Either } from "effect"
import type { Attachment } from "../capabilities/attachments/AttachmentsOperations.js"
import type { Policy } from "../policy/Policy.js"
import * as AttachmentRefs from "./AttachmentRefs.js"
import { Transcript } from "./Transcript.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly session: string
  readonly policy: Policy
  /** Where relative paths start, and where children run. */
  readonly workdir: string
  /** What `~` stands for; without it, `~` is refused. */
  readonly home?: string | undefined
  readonly attachments?: ReadonlyArray<Attachment> | undefined
  /** Tools that this surface does not offer, whatever the policy says. */
  readonly exclude?: Iterable<string> | undefined
  /** Nothing is executed; results say what would have been called. */
  readonly dryRun?: boolean | undefined
  /** How many characters all results of one batch share. */
  readonly budget?: number | undefined
  /** How long a call may take, where its tool does not say. */
  readonly deadline?: Duration.DurationInput | undefined
  /** How many calls run at once. */
  readonly concurrency?: number | undefined
  /**
   * Whether what has the shape of a well-known token (of GitHub, AWS, Slack and others, a private key, a JWT) is taken out
   * of what tools answer and report, although no tool read it as a secret. It is, unless this is `false`.
   */
  readonly redactTokens?: boolean | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Turn {
  readonly session: string
  readonly policy: Policy
  readonly workdir: string
  readonly home: string | undefined
  readonly attachments: ReadonlyArray<Attachment>
  readonly exclude: ReadonlySet<string>
  readonly dryRun: boolean
  readonly budget: number
  readonly deadline: Duration.Duration
  readonly concurrency: number
  readonly redactTokens: boolean
  /** The decisions that were taken so far. */
  readonly transcript: Transcript
}

/**
 * @since 0.1.0
 * @category defaults
 */
export const defaults = {
  budget: 100_000,
  deadline: Duration.minutes(2),
  concurrency: 64,
  redactTokens: true
}

/**
 * One turn: who acts, where, and under which policy. Give it to `registry.execute`, `menu` or `explain`.
 *
 * Throws an `AttachmentsError` when two attachments have one ref: the host gives out refs, and must not do that.
 *
 * @example
 * ```ts
 * import { Personality, Turn } from "bailiwick"
 *
 * const workdir = "/work"
 * const config = { file: "config.yaml", text: 'id: reader\nfs_reach: { read: ["/work"] }' }
 * const personality = Personality.parseSync({ config }, { workdir })
 *
 * export const turn = Turn.make({ session: "s1", policy: Personality.policy(personality), workdir })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Turn =>
  Object.freeze({
    session: options.session,
    policy: options.policy,
    workdir: options.workdir,
    home: options.home,
    attachments: Object.freeze(
      Either.getOrThrowWith(AttachmentRefs.distinct(options.attachments ?? []), (error) => error).map((one) =>
        Object.freeze({ ...one })
      )
    ),
    exclude: new Set(options.exclude ?? []),
    dryRun: options.dryRun ?? false,
    budget: options.budget ?? defaults.budget,
    deadline: Duration.decode(options.deadline ?? defaults.deadline),
    concurrency: options.concurrency ?? defaults.concurrency,
    redactTokens: options.redactTokens ?? defaults.redactTokens,
    transcript: new Transcript()
  })

/** What came of the calls of one turn, each of which is told once: of those that are sent, and of those that are not. */
import type { Call, Result } from "../../registry/Call.js"
import { withinBudget } from "../../registry/execution/Budget.js"
import type * as ToolResult from "../../registry/ToolResult.js"
import type { Turn } from "../../registry/Turn.js"
import { late } from "./unanswered.js"

export class Collected {
  /** Places among all calls of those that are sent. */
  readonly sent: ReadonlyArray<number>
  /** What came of calls before the turn was answered. */
  private readonly heard = new Map<number, ToolResult.ToolResult>()
  private readonly told = new Set<number>()

  constructor(
    private readonly turn: Turn,
    private readonly calls: ReadonlyArray<Call>,
    /** Calls that are answered already are not sent. */
    private readonly results: Array<ToolResult.ToolResult | undefined>,
    private readonly listener: ((result: Result) => void) | undefined
  ) {
    this.sent = results.flatMap((result, at) => (result === undefined ? [at] : []))
  }

  get callsToSend(): ReadonlyArray<Call> {
    return this.sent.map((at) => this.calls[at] as Call)
  }

  get isComplete(): boolean {
    return this.results.every((one) => one !== undefined)
  }

  /** What a runner has answered, in the order in which calls were sent. */
  answered(results: ReadonlyArray<{ readonly result: ToolResult.ToolResult }>): void {
    if (results.length !== this.sent.length) return
    this.sent.forEach((at, index) => {
      this.results[at] = this.known(at, results[index]?.result)
    })
  }

  answerRest(result: ToolResult.ToolResult): void {
    this.results.forEach((one, at) => {
      if (one === undefined) this.results[at] = this.known(at, result)
    })
  }

  /** One of the calls that were sent, by its place among these. */
  hears(index: number, result: ToolResult.ToolResult): void {
    const at = this.sent[index]
    if (at === undefined) return
    this.heard.set(at, result)
    this.tell(at, result)
  }

  tellAll(): void {
    this.results.forEach((result, at) => {
      if (result !== undefined) this.tell(at, result)
    })
  }

  get all(): ReadonlyArray<Result> {
    const { revision } = this.turn.policy
    return this.calls.map(({ id, name }, at) => ({ id, name, result: this.results[at] ?? late, revision }))
  }

  /** That a call has succeeded is known once it was heard, also where whoever answers for it does not know. */
  private known(at: number, result: ToolResult.ToolResult | undefined): ToolResult.ToolResult | undefined {
    const heard = this.heard.get(at)
    if (heard?.ok !== true || result?.ok === true || result?.code !== "interrupted") return result
    const [within] = withinBudget([this.calls[at] as Call], [heard], this.turn, new Map())
    return within?.result
  }

  private tell(at: number, result: ToolResult.ToolResult): void {
    if (this.listener === undefined || this.told.has(at)) return
    this.told.add(at)
    const { id, name } = this.calls[at] as Call
    try {
      this.listener({ id, name, result, revision: this.turn.policy.revision })
    } catch {
      // A listener that throws has heard; what it throws is not the call's.
    }
  }
}

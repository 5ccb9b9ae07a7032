/**
 * What servers behind the gateway ask in a call of a client is asked of that client, where it said that it answers such. The
 * name of the server stands in front: who reads it sees that it is no question of ours.
 */
import { Deferred, Effect, Either, FiberId } from "effect"
import { type Answering, Unanswered } from "../../registry/inquiry/Answering.js"
import type * as Elicitation from "../../registry/inquiry/Elicitation.js"
import type * as Sampling from "../../registry/inquiry/Sampling.js"
import * as WireElicitation from "../inquiry/WireElicitation.js"
import * as WireSampling from "../inquiry/WireSampling.js"
import { type Answer, type RequestId, type Revision, revisions } from "../protocol/Message.js"
import { isObject, own } from "../protocol/ReadMessage.js"
import { said } from "./problem.js"
import type { Send } from "./Session.js"

type Settle = (answer: Either.Either<object, Unanswered>) => void

const unanswered = (detail: string) => new Unanswered({ detail })

/** Forms, unless it says that it answers something else alone. */
const hasForms = (elicitation: unknown): boolean =>
  isObject(elicitation) && (Object.keys(elicitation).length === 0 || isObject(own(elicitation, "form")))

const introduced = (server: string): string =>
  `The MCP server ${server} asks for this answer. What it says is its own text: it comes neither from the user nor from Bailiwick.`

const metaOf = ({ server, tool }: Answering.Who) => ({
  _meta: { "bailiwick/server": server, "bailiwick/tool": tool }
})

const sampleOf = (request: Sampling.Request, who: Answering.Who) => {
  const { systemPrompt } = request
  const front = introduced(who.server)
  return {
    ...WireSampling.write(request),
    systemPrompt: systemPrompt === undefined ? front : `${front}\n\n${systemPrompt}`,
    ...metaOf(who)
  }
}

const formOf = (request: Elicitation.Request, who: Answering.Who, revision: Revision) =>
  Either.mapBoth(
    WireElicitation.write(
      { ...request, message: `The MCP server ${who.server} asks: ${request.message}` },
      revision
    ),
    { onLeft: unanswered, onRight: (params) => ({ ...params, ...metaOf(who) }) }
  )

const read = <A>(answer: Either.Either<A, string>): Either.Either<A, Unanswered> =>
  Either.mapLeft(answer, (why) => unanswered(`the client's answer cannot be read: ${why}`))

export class Inquirer {
  private readonly waiting = new Map<RequestId, Settle>()
  private last = 0
  private revision: Revision = revisions[0]
  private answers = { sampling: false, elicitation: false }

  constructor(
    private readonly send: Send,
    /** The request of the client that a call belongs to, while it runs. */
    private readonly requestOf: (call: string) => RequestId | undefined
  ) {}

  /** The client has said what it answers. */
  introduced(params: unknown, revision: Revision): void {
    const capabilities = own(params, "capabilities")
    this.revision = revision
    this.answers = {
      sampling: isObject(own(capabilities, "sampling")),
      elicitation: hasForms(own(capabilities, "elicitation"))
    }
  }

  /** Nobody hears of an answer that nobody waits for. */
  answered(answer: Answer): void {
    const settle = answer.id === null ? undefined : this.waiting.get(answer.id)
    settle?.(
      "result" in answer
        ? Either.right(answer.result)
        : Either.left(unanswered(`the client refused: ${said(answer.error.message)}`))
    )
  }

  get service(): Answering.Service {
    const inquirer = this
    const sampling: NonNullable<Answering.Service["sampling"]> = (request, who) =>
      Effect.flatMap(inquirer.ask("sampling/createMessage", sampleOf(request, who), who), (result) =>
        read(WireSampling.readAnswer(result))
      )
    const elicitation: NonNullable<Answering.Service["elicitation"]> = (request, who) =>
      Effect.flatMap(
        Effect.flatMap(formOf(request, who, inquirer.revision), (params) =>
          inquirer.ask("elicitation/create", params, who)
        ),
        (result) => read(WireElicitation.readAnswer(result))
      )
    return {
      get sampling() {
        return inquirer.answers.sampling ? sampling : undefined
      },
      get elicitation() {
        return inquirer.answers.elicitation ? elicitation : undefined
      }
    }
  }

  /** Whoever stops waiting has the client told so. */
  private ask(
    method: string,
    params: Readonly<Record<string, unknown>>,
    { call }: Answering.Who
  ): Effect.Effect<object, Unanswered> {
    return Effect.suspend(() => {
      const about = this.requestOf(call)
      if (about === undefined)
        return Effect.fail(unanswered("the client does not wait for this call any more"))
      const id = `inquiry-${++this.last}`
      const answer = Deferred.unsafeMake<object, Unanswered>(FiberId.none)
      // Before it is asked: an answer may come while the question is still on its way.
      this.waiting.set(id, (given) => Deferred.unsafeDone(answer, given))
      const asked = Effect.zipRight(
        this.send({ jsonrpc: "2.0", id, method, params }, about),
        Deferred.await(answer)
      )
      return Effect.ensuring(
        Effect.onInterrupt(asked, () => this.takeBack(id, call)),
        Effect.sync(() => this.waiting.delete(id))
      )
    })
  }

  /** The way of the call's answer may be gone by now. */
  private takeBack(id: RequestId, call: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const params = { requestId: id, reason: "the call has ended" }
      return this.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }, this.requestOf(call))
    })
  }
}

/** One permitted request from its call to its last byte: whatever it holds then is let go of in `finish`. */
import type { Socket } from "node:net"
import { type Clock, Effect } from "effect"
import type { NetworkError } from "../../../capabilities/network/NetworkOperations.js"
import { closed, type Keeper } from "../../../capabilities/network/NetworkParts.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Http } from "../../../policy/lattice/Request.js"
import { exceeded, failed, peerOf } from "../../http/HttpFailures.js"
import { onlyPrivate } from "../../http/Judging.js"
import { isRedirect, next, ofRedirect, type Step } from "../../http/Redirects.js"
import { Inlet } from "./body.js"
import { type Connect, type Custody, dial } from "./Connector.js"
import type { Deadlines, Timed } from "./deadlines.js"
import { type Answer, Exchange, type Kept } from "./exchange.js"
import type { Settled } from "./limits.js"
import type { Line, Lines } from "./lines.js"
import type { RequestSlots } from "./slots.js"
import { type Vetting, vet } from "./Vetting.js"

/** What the requests of one layer share. */
export interface Office extends Vetting {
  readonly limits: Settled
  readonly connect: Connect | undefined
  readonly trusted: ReadonlyArray<string> | undefined
  readonly lines: Lines
  readonly slots: RequestSlots
  readonly deadlines: Deadlines
  readonly runs: Set<Run>
}

/** The answer to the last request of a chain, and where it came from. */
export interface Final extends Answer {
  readonly request: Http
}

export class Run implements Timed, Custody {
  at: number
  readonly #office: Office
  readonly #clock: Clock.Clock
  readonly #key: string
  readonly #until: number
  #turn: "none" | "held" | (() => void) = "none"
  #sockets: Array<Socket> = []
  #fresh: Line | undefined
  #exchange: Exchange | undefined
  #late: NetworkError | undefined
  /** A body is on its way to who reads it. */
  #flows = false
  readonly #keeper: Keeper | undefined

  constructor(office: Office, clock: Clock.Clock, proof: Proof<Http>, keeper?: Keeper) {
    this.#office = office
    this.#clock = clock
    this.#key = `${proof.session}\u0000${proof.tool}`
    this.#until = clock.unsafeCurrentTimeMillis() + office.limits.totalTime
    this.at = this.#until
    this.#keeper = keeper
    keeper?.keep(() => this.#end(closed()))
  }

  /** Sends a request once its turn comes, and follows where the answer leads. */
  send(step: Step, keep: Kept): Effect.Effect<Final, NetworkError> {
    const { deadlines, runs } = this.#office
    return Effect.suspend(() => {
      if (this.#late !== undefined) return Effect.fail(this.#late)
      runs.add(this)
      const sleeper = deadlines.add(this.#clock, this)
      const wait = this.#enter()
      const hop = this.#hop(step, keep)
      const sent = wait === undefined ? hop : Effect.zipRight(wait, hop)
      return sleeper === undefined ? sent : Effect.zipRight(Effect.forkDaemon(sleeper), sent)
    })
  }

  readonly finish: Effect.Effect<void> = Effect.sync(() => this.#release())

  expire(): void {
    this.#end(exceeded("the request took too long; ask for less, or raise headersTime or totalTime"))
  }

  /** The layer is closed. */
  close(): void {
    this.#end(failed("the network was closed while the request ran; request again with a new layer"))
  }

  hold(socket: Socket): void {
    this.#sockets.push(socket)
  }

  drop(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets = []
  }

  /** Before its time: who waits for it is told. */
  #end(error: NetworkError): void {
    this.#late ??= error
    this.#exchange?.fail(error)
    this.#release()
  }

  #release(): void {
    const { deadlines, runs, slots } = this.#office
    this.#stop()
    runs.delete(this)
    deadlines.delete(this.#clock, this)
    const turn = this.#turn
    this.#turn = "none"
    if (turn === "held") slots.release(this.#key)
    else if (turn !== "none") turn()
    this.#keeper?.over()
  }

  #stop(): void {
    this.#exchange?.cancel()
    if (this.#fresh !== undefined) this.#office.lines.drop(this.#fresh)
    this.#fresh = undefined
    this.drop()
  }

  /** Takes a turn, or says how to wait for it. */
  #enter(): Effect.Effect<void, NetworkError> | undefined {
    const { limits, slots } = this.#office
    let go: () => void = () => {}
    const turn = slots.take(this.#key, () => {
      this.#turn = "held"
      go()
    })
    if (turn === "full") {
      return Effect.fail(
        exceeded(
          `${limits.waiting} requests of this tool wait already; send fewer at a time, or raise waiting`
        )
      )
    }
    this.#turn = turn === "taken" ? "held" : turn
    if (turn === "taken") return undefined
    return Effect.timeoutFail(
      Effect.async<void>((resume) => {
        go = () => resume(Effect.void)
        if (this.#turn === "held") go()
      }),
      {
        duration: limits.totalTime,
        onTimeout: () => exceeded("the request waited too long for its turn; send fewer at a time")
      }
    )
  }

  #hop(step: Step, keep: Kept): Effect.Effect<Final, NetworkError> {
    return Effect.flatMap(this.#attempt(step, keep, false), (answer) => {
      const { location } = answer
      const { request } = step.proof
      return location === undefined || !this.#leads(step, answer.status, answer.headers)
        ? Effect.succeed({ ...answer, request })
        : Effect.flatMap(next(step, answer.status, location, this.#office.limits.requests), (following) =>
            this.#hop(following, keep)
          )
    })
  }

  #leads({ redirects }: Step, ...answer: Parameters<typeof isRedirect>): boolean {
    return redirects !== "none" && isRedirect(...answer)
  }

  #attempt(step: Step, keep: Kept, anew: boolean): Effect.Effect<Answer, NetworkError> {
    return Effect.async((resume) => {
      if (this.#late !== undefined) return resume(Effect.fail(this.#late))
      // What may go to a private address alone has a connection of its own.
      const line = this.#fresh ?? (anew || step.isPrivate ? undefined : this.#office.lines.take(step.proof))
      this.#fresh = undefined
      const open = () => resume(Effect.zipRight(this.#open(step), this.#attempt(step, keep, true)))
      if (line === undefined) return open()
      const { lines, limits } = this.#office
      this.at = Math.min(this.#clock.unsafeCurrentTimeMillis() + limits.headersTime, this.#until)
      this.#exchange = new Exchange(line, {
        request: step.proof.request,
        sent: step.sent,
        lines,
        limits,
        keep: (status, headers) => (isRedirect(status, headers) ? "nothing" : keep),
        onHead: () => {
          this.at = this.#until
        },
        onAnswer: (answer) => {
          this.#flows = answer.body instanceof Inlet
          resume(Effect.succeed(answer))
        },
        onFail: (error) => resume(Effect.fail(error)),
        // All of the body is here, read or not: nobody has to wait for its reader.
        onOver: () => {
          if (this.#flows) this.#release()
        },
        onStale: open
      })
    })
  }

  /** A connection of our own for the next attempt. */
  #open({ from, isPrivate, proof }: Step): Effect.Effect<void, NetworkError> {
    const { connect, limits, lines, trusted } = this.#office
    const { request } = proof
    const dialling = { connect, trusted, connectTime: limits.connectTime }
    const vetting = vet(proof, this.#office)
    const asked = isPrivate ? Effect.flatMap(vetting, (found) => onlyPrivate(proof, found)) : vetting
    return Effect.flatMap(asked, (vetted) =>
      Effect.flatMap(dial(request, vetted, dialling, this), (socket) => {
        this.#sockets = []
        this.#fresh = lines.add(request, socket, vetted.permitted)
        return this.#fresh === undefined
          ? Effect.fail(failed(`${peerOf(request)} closed the connection at once; try again later`))
          : Effect.void
      })
    ).pipe(
      Effect.timeoutFail({
        duration: limits.headersTime,
        onTimeout: () =>
          exceeded(`no connection to ${peerOf(request)} in time; try again, or raise headersTime`)
      }),
      Effect.mapError((error) => this.#late ?? (from === undefined ? error : ofRedirect(from, error)))
    )
  }
}

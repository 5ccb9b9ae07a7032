/** The sessions of a server over HTTP: each is one client with a scope of its own, and nobody finds it without its id. */
import { randomBytes } from "node:crypto"
import { Effect, Exit, Scope } from "effect"
import type { Send, Session } from "../server/Session.js"
import type { Refusal } from "./Callers.js"
import { Client } from "./client.js"

const ID_BYTES = 32

/** A client is told that its session is gone, and may begin another. */
export const GONE: Refusal = { status: 404, message: "there is no such session; initialize another" }

const OVER: Refusal = { status: 503, message: "the server ends" }

export class Sessions {
  private readonly byId = new Map<string, Client>()

  constructor(
    private readonly open: (send: Send) => Effect.Effect<Session, never, Scope.Scope>,
    private readonly most: number,
    private readonly now: () => number
  ) {}

  get(id: string): Client | undefined {
    return this.byId.get(id)
  }

  get isFull(): boolean {
    return this.byId.size >= this.most
  }

  /** A client without a session yet. `agreed` hears of its first answer. */
  begin(agreed: (isThere: boolean) => void): Effect.Effect<Client> {
    const id = randomBytes(ID_BYTES).toString("base64url")
    return Effect.gen(this, function* () {
      const scope = yield* Scope.make()
      const client = new Client(id, scope, this.now, agreed)
      this.byId.set(id, client)
      client.session = yield* Scope.extend(this.open(client.send), scope)
      return client
    })
  }

  /** Interrupts what runs for it, and settles when that has ended. */
  end(client: Client, refusal: Refusal = GONE): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.byId.delete(client.id)
      client.part(refusal)
      return Scope.close(client.scope, Exit.void)
    })
  }

  get endAll(): Effect.Effect<void> {
    return Effect.suspend(() =>
      Effect.forEach([...this.byId.values()], (client) => this.end(client, OVER), {
        concurrency: "unbounded",
        discard: true
      })
    )
  }

  endIdle(since: number): Effect.Effect<void> {
    return Effect.suspend(() =>
      Effect.forEach(
        [...this.byId.values()].filter((client) => client.isIdle(since)),
        (client) => this.end(client),
        { concurrency: "unbounded", discard: true }
      )
    )
  }

  /** Tells every client that what is served may be something else now. */
  get changed(): Effect.Effect<void> {
    return Effect.suspend(() =>
      Effect.forEach([...this.byId.values()], ({ session }) => session?.changed ?? Effect.void, {
        concurrency: "unbounded",
        discard: true
      })
    )
  }
}

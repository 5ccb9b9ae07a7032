/** The policies of a workspace, as its files say them now. A client names an agent or a personality, and never a file. */
import { Effect, Either } from "effect"
import type { Loaded, Who } from "../../../cluster/Policies.js"
import { quote } from "../../../policy/text/Quote.js"
import { CliError } from "../../CliError.js"
import type { Surroundings } from "../../Surroundings.js"
import { authorityOf } from "../../workspace/Acting.js"
import type { Setting } from "../../workspace/LoadPersonality.js"
import { LivePolicy } from "../mcp/LivePolicy.js"

/** So many at most; a cluster that has more agents at once reads some of them again. */
const MOST = 1000

/** An id is a path below the records, and leads nowhere else. */
const isId = (name: string): boolean =>
  /^[^/\\\p{C}]+(?:\/[^/\\\p{C}]+)*$/u.test(name) && !/(?:^|\/)\.{1,2}(?:\/|$)|\.(?:md|yaml)$/i.test(name)

export class WorkspacePolicies {
  private readonly live = new Map<string, LivePolicy>()

  constructor(
    private readonly command: { readonly workdir: string | undefined; readonly json: boolean },
    private readonly around: Surroundings,
    private readonly setting: Setting
  ) {}

  load({ agent, personality }: Who): Effect.Effect<Loaded, string> {
    return Effect.suspend(() => {
      const wrong = [agent, personality].find((name) => name !== undefined && !isId(name))
      if (wrong !== undefined) return Effect.fail(`${quote(wrong)} is no id of an agent or a personality`)
      try {
        return Either.match(this.policyOf(agent, personality).current(), {
          onLeft: ({ message }) => Effect.fail(`this runner cannot read the policy: ${message}`),
          onRight: ({ authority, setting }) =>
            Effect.succeed({ policy: authority.policy, home: setting.home })
        })
      } catch (error) {
        if (!(error instanceof CliError)) throw error
        return Effect.fail(`this runner has no such policy: ${error.message}`)
      }
    })
  }

  private policyOf(agent: string | undefined, personality: string | undefined): LivePolicy {
    const name = JSON.stringify([agent, personality])
    const known = this.live.get(name)
    if (known !== undefined) return known
    const who = { ...this.command, agent, personality }
    const first = { authority: authorityOf(who, this.setting), setting: this.setting }
    const made = new LivePolicy(
      { ...who, command: "mcp serve", session: undefined, http: undefined },
      this.around,
      first,
      this.setting.code
    )
    if (this.live.size >= MOST) this.live.clear()
    this.live.set(name, made)
    return made
  }
}

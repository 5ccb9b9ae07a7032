/** What a server says of itself when a client initialises. */
import { type Revision, revisions } from "../protocol/Message.js"
import { own } from "../protocol/ReadMessage.js"
import type { Options, Serving } from "./Options.js"
import { hasRecords } from "./resources.js"

/** The revision that the client asks for, or else the newest of ours: then the client may go. */
export const revisionFor = (params: unknown): Revision =>
  revisions.find((one) => one === own(params, "protocolVersion")) ?? revisions[0]

/** What is served beside tools. */
export interface Offers {
  readonly resources: boolean
  readonly prompts: boolean
}

export const offersOf = <R>(serving: Serving<R>): Offers => ({
  resources: hasRecords(serving),
  prompts: serving.skills !== undefined
})

export const introduction = <R>(
  options: Options<R>,
  { prompts, resources }: Offers,
  revision: Revision
): object => ({
  protocolVersion: revision,
  capabilities: {
    tools: { listChanged: true },
    logging: {},
    ...(resources ? { resources: { listChanged: true } } : {}),
    ...(prompts ? { prompts: { listChanged: true } } : {})
  },
  serverInfo: {
    name: options.name ?? "bailiwick",
    ...(options.title === undefined ? {} : { title: options.title }),
    version: options.version ?? "0.0.0"
  },
  ...(options.instructions === undefined ? {} : { instructions: options.instructions })
})

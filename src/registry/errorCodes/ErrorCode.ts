/**
 * Every code that a user of the library or of the command line can meet, with its cause and its remedy. The codes are
 * those of the errors, denials, warnings and findings themselves: one without its words does not compile, and nor do
 * words without their code.
 *
 * @since 0.1.0
 */
import type { Category } from "../../capabilities/Capabilities.js"
import { audit } from "./audit.js"
import { doctor } from "./doctor.js"
import { adapters, cluster, gateway, isolated } from "./edges.js"
import { files } from "./files.js"
import { attachments, secrets, storage } from "./keeping.js"
import { builtins, definitions, locks, registration, scopes } from "./making.js"
import { network } from "./network.js"
import { process } from "./process.js"
import { records } from "./records.js"
import { offers, reasons, results } from "./results.js"
import type { Topic, Entry as TopicEntry } from "./topic.js"
import { agentRecords, anyFile, edits, grants, personalities, skills } from "./written.js"

export type { Topic } from "./topic.js"

/** Agents are records, and fail as they do. */
const ofCategories = {
  network,
  fs_reach: files,
  process,
  secrets,
  storage,
  attachments,
  records,
  agents: records
} satisfies { readonly [C in Category]: Topic }

/**
 * By what they are about, those that are met in a call first.
 *
 * @since 0.1.0
 * @category models
 */
export const topics = [
  results,
  reasons,
  offers,
  ...new Set(Object.values(ofCategories)),
  builtins,
  gateway,
  isolated,
  adapters,
  cluster,
  audit,
  anyFile,
  personalities,
  grants,
  agentRecords,
  edits,
  skills,
  doctor,
  scopes,
  definitions,
  registration,
  locks
]

/**
 * @since 0.1.0
 * @category models
 */
export type Code = (typeof topics)[number]["entries"][number]["code"]

/**
 * One code in one topic: the same code may be met elsewhere, for another cause.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry extends TopicEntry<Code> {}

/**
 * @since 0.1.0
 * @category models
 */
export const all: ReadonlyArray<Entry> = topics.flatMap(({ entries }): ReadonlyArray<Entry> => entries)

/**
 * What a code means, in each of the topics that it is met in; nothing for what is no code.
 *
 * @since 0.1.0
 * @category explaining
 */
export const explain = (code: string): ReadonlyArray<Entry> => all.filter((entry) => entry.code === code)

/** What a personality allows, as a whole and entry by entry. */
import { Either } from "effect"
import * as Grant from "../grant/Grant.js"
import * as Authority from "../lattice/Authority.js"
import type { HostSet } from "../lattice/HostSet.js"
import type { Source } from "../Source.js"
import type { Reading } from "../text/Problem.js"
import type { Text } from "../text/YamlShape.js"
import type { PersonalityFile } from "./file.js"
import { CWD, type Root, root, startOf, type Variables } from "./paths.js"
import * as Scopes from "./scopes.js"

type Texts = ReadonlyArray<Text>

export interface Ground extends Variables {
  readonly privateHosts?: ReadonlyArray<string> | undefined
}

/** What entries mean depends on these. */
export interface Grounds {
  readonly read: ReadonlyArray<Root>
  readonly write: ReadonlyArray<Root>
  readonly workdirs: Texts
  readonly deny: HostSet
}

const at = (text: string): Text => ({ text, line: 1, column: 1 })

export const groundsOf = (file: PersonalityFile, places: Ground): Reading<Grounds> =>
  Either.gen(function* () {
    const roots = (all: Texts): Reading<ReadonlyArray<Root>> =>
      Either.all(all.map((one) => root(one, places)))
    const [read, write] = [yield* roots(file.read), yield* roots(file.write)]
    const workdir = yield* startOf(at(CWD), CWD, "working directory", places.workdir)
    const workdirs = new Set([workdir, places.real?.(workdir) ?? workdir])
    return {
      read,
      write,
      workdirs: [...workdirs].map(at),
      deny: yield* Scopes.denied(file.network.deny)
    }
  })

const commands = (allow: Texts, { read, workdirs, write }: Grounds) =>
  Scopes.processes(allow, [...read, ...write], workdirs)

export const authorityOf = (
  file: PersonalityFile,
  grounds: Grounds,
  { privateHosts = [] }: Ground
): Reading<Authority.Authority> =>
  Either.gen(function* () {
    const { agents, provider, records } = Grant.authority(file.grants.map(({ compiled }) => compiled)).scopes
    return Authority.make({
      ...(yield* Scopes.network(file.network, grounds.deny, privateHosts.map(at))),
      files: Scopes.files(grounds.read, grounds.write),
      process: yield* commands(file.process ?? [], grounds),
      secrets: yield* Scopes.secrets(file.secrets?.allow, file.secrets?.sealed !== undefined),
      storage: { use: yield* Scopes.storage(file.storage ?? []) },
      attachments: { read: yield* Scopes.attachments(file.attachments ?? []) },
      records,
      agents,
      provider
    })
  })

/** What tools may get at most of sections that are absent: commands run only where files may be touched. */
export const ceilingOf = (grounds: Grounds): Reading<Authority.Authority> =>
  Either.map(commands([at("*")], grounds), (process) =>
    Authority.make({ ...Authority.everything.scopes, process })
  )

/** Where all that tools declare is allowed, sealed. */
const sealedAlone = ({ secrets }: PersonalityFile): Texts =>
  secrets?.sealed !== undefined && secrets.allow === undefined ? [{ ...secrets.sealed, text: "true" }] : []

type Sets = Parameters<typeof Authority.make>[0]

interface Given extends Sets {
  readonly beside?: Sets
}

/** Each entry by itself, for whoever asks which line allowed something. What is denied is allowed by none. */
export const sourcesOf = (name: string, file: PersonalityFile, grounds: Grounds): ReadonlyArray<Source> => {
  const entries = (key: string, all: Texts | undefined, sets: (one: Text, index: number) => Reading<Given>) =>
    (all ?? []).flatMap((one, index) =>
      Either.match(sets(one, index), {
        // What does not parse alone did not parse with the others, and so was refused before.
        onLeft: () => [],
        onRight: ({ beside, ...given }) => [
          {
            file: name,
            line: one.line,
            written: `${key}: ${one.text}`,
            authority: Authority.make(given),
            beside: beside && Authority.make(beside)
          }
        ]
      })
    )
  const reach = (read: ReadonlyArray<Root>, write: ReadonlyArray<Root>): Reading<Given> =>
    Either.map(commands([at("*")], { ...grounds, read, write, workdirs: [] }), (process) => ({
      files: Scopes.files(read, write),
      beside: { process }
    }))
  return [
    ...entries("fs_reach.read", file.read, (_, index) => reach(grounds.read.slice(index, index + 1), [])),
    ...entries("fs_reach.write", file.write, (_, index) => reach([], grounds.write.slice(index, index + 1))),
    ...entries("safety.network.allow", file.network.allow, (one) =>
      Scopes.network({ allow: [one], private: [] }, grounds.deny)
    ),
    ...entries("safety.network.private", file.network.private, (one) =>
      Scopes.network({ allow: [], private: [one] }, grounds.deny)
    ),
    ...entries("process.allow", file.process, (one) =>
      Either.map(commands([one], grounds), (process) => ({ process }))
    ),
    ...entries("secrets.allow", file.secrets?.allow, (one) =>
      Either.map(Scopes.secrets([one], file.secrets?.sealed !== undefined), (secrets) => ({ secrets }))
    ),
    ...entries("secrets.sealed", sealedAlone(file), () =>
      Either.map(Scopes.secrets(undefined, true), (secrets) => ({ secrets }))
    ),
    ...entries("storage.scopes", file.storage, (one) =>
      Either.map(Scopes.storage([one]), (use) => ({ storage: { use } }))
    ),
    ...entries("attachments.kinds", file.attachments, (one) =>
      Either.map(Scopes.attachments([one]), (read) => ({ attachments: { read } }))
    ),
    ...file.grants.map(({ compiled, line, written }) => ({
      file: name,
      line,
      written: `grants: ${written}`,
      authority: Grant.authority([compiled])
    }))
  ]
}

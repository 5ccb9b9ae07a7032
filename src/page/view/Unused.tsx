/** What was granted and never needed, for each who holds it. */
import { useState } from "preact/hooks"
import type { Grant, Subject } from "../PageData.js"
import { Code, Place, RiskLabel, Said } from "./Marks.js"
import { number, some } from "./Words.js"

const FIRST = 6

const live = (grants: ReadonlyArray<Grant>): ReadonlyArray<Grant> =>
  grants.filter(({ inert }) => inert === undefined)

const LEVEL = { high: 0, medium: 1, low: 2 } as const

const Holder = ({
  calls,
  isPrinted,
  subject
}: {
  readonly subject: Subject
  readonly calls: number
  readonly isPrinted: boolean
}) => {
  const [isWhole, setWhole] = useState(false)
  const held = live(subject.grants)
  const unused = held.filter(({ isUnused }) => isUnused).sort((a, b) => LEVEL[a.risk] - LEVEL[b.risk])
  const shown = isWhole || isPrinted ? unused : unused.slice(0, FIRST)
  return (
    <article class="card holder">
      <h3>
        <Said>{subject.id}</Said>
      </h3>
      <p class="dim">
        {calls === 0 ? "made no calls; " : ""}
        {number(unused.length)} of {some(held.length, "grant")} never used
      </p>
      <ul class="grants">
        {shown.map((grant) => (
          <li key={`${grant.file}:${grant.line}:${grant.written}`}>
            <RiskLabel risk={grant.risk} />
            <Code>{grant.written}</Code>
            <Place file={grant.file} line={grant.line} />
            {grant.doubt === undefined ? null : (
              <span class="doubt">
                perhaps it was: <Said>{grant.doubt}</Said>
              </span>
            )}
          </li>
        ))}
      </ul>
      {shown.length === unused.length ? null : (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          Show all {number(unused.length)}
        </button>
      )}
    </article>
  )
}

export const Unused = ({
  callsOf,
  isPrinted,
  subjects
}: {
  /** Nobody opens anything on paper. */
  readonly isPrinted: boolean
  readonly subjects: ReadonlyArray<Subject> | undefined
  readonly callsOf: (subject: Subject) => number
}) => {
  if (subjects === undefined) {
    return <p class="empty">There is no workspace here, so that nobody knows what was granted.</p>
  }
  const some = subjects.filter(({ grants }) => live(grants).some(({ isUnused }) => isUnused))
  return some.length === 0 ? (
    <p class="empty">Everything that is granted was used.</p>
  ) : (
    <div class="holders">
      {some.map((subject) => (
        <Holder
          key={`${subject.kind} ${subject.id}`}
          subject={subject}
          calls={callsOf(subject)}
          isPrinted={isPrinted}
        />
      ))}
    </div>
  )
}

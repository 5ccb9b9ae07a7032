/** Which record a permit is about. */
import { Either } from "effect"
import type { RecordsBackend } from "../RecordsBackend.js"
import type { RecordsError } from "../RecordsOperations.js"
import { checked } from "./Ids.js"
import { invalid } from "./Refusals.js"

export interface Permitted {
  readonly id: string
  readonly class: string
}

const AGENT = "agent"

type Answer = Either.Either<Permitted, RecordsError>

const about = ({ request }: RecordsBackend.Permit): Answer => {
  const { element, facet } = request
  const [segments, kind] =
    facet === "agents" ? [element.id, AGENT] : facet === "records" ? [element.path, element.class?.[0]] : []
  return segments === undefined || kind === undefined
    ? Either.left(invalid("the permit is not about a record"))
    : Either.map(checked(segments), (id) => ({ id, class: kind }))
}

export const forReading: (permit: RecordsBackend.Permit) => Answer = about

/** The records of agents are written with permits about agents, and no others. */
export const forWriting = (permit: RecordsBackend.Permit): Answer =>
  Either.filterOrLeft(
    about(permit),
    (permitted) => (permitted.class === AGENT) === (permit.request.facet === "agents"),
    ({ id }) => invalid(`${id} is an agent's, and is written with a permit about agents only`)
  )

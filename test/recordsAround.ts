import { RecordsBackend } from "../src/capabilities/records/RecordsBackend.js"
import { sightPassedTo } from "../src/policy/gate/Asking.js"

/** A backend that hands on to another, but for what is given. */
export const recordsAround = (
  inner: RecordsBackend.Service,
  given: (inner: RecordsBackend.Service) => Partial<RecordsBackend.Service>
): RecordsBackend.Service => {
  const { agents, head } = inner
  const handing: RecordsBackend.Service = {
    agents,
    head,
    read: (permit) => inner.read(permit.passedTo(inner)),
    search: (search, visible) => inner.search(search, sightPassedTo(inner, visible)),
    list: (filter, visible) => inner.list(filter, sightPassedTo(inner, visible)),
    links: (permit, visible) => inner.links(permit.passedTo(inner), sightPassedTo(inner, visible)),
    backlinks: (permit, visible) => inner.backlinks(permit.passedTo(inner), sightPassedTo(inner, visible)),
    create: (permit, text) => inner.create(permit.passedTo(inner), text),
    replace: ({ after, before }, change) =>
      inner.replace({ before: before.passedTo(inner), after: after.passedTo(inner) }, change),
    remove: (permit) => inner.remove(permit.passedTo(inner))
  }
  return RecordsBackend.guarded({ ...handing, ...given(handing) })
}

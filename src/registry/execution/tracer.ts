/**
 * Spans that a tool opens are its own, and what it writes on them goes to whoever traces: without secrets, and as data. The
 * tool sees where its spans belong, and nothing of what the program around it has written there.
 */
import { Context, DefaultServices, Exit, Option, Tracer } from "effect"
import type { Scrubber } from "../scrub/Scrubber.js"
import { inert } from "./data.js"

type SpanArguments = Parameters<Tracer.Tracer["span"]>

/** The span that a tracer made for the one that a tool holds. */
const behind = new WeakMap<Tracer.AnySpan, Tracer.AnySpan>()

const madeOf = (span: Tracer.AnySpan): Tracer.AnySpan => behind.get(span) ?? span

/** A span of the program around: known by its ids alone. */
const fromOutside = (span: Tracer.AnySpan): Tracer.AnySpan => {
  if (behind.has(span) || span._tag === "ExternalSpan") return span
  const { sampled, spanId, traceId } = span
  return Tracer.externalSpan({ spanId, traceId, sampled })
}

const scrubbed = (scrubber: Scrubber, attributes: Readonly<Record<string, unknown>>) =>
  scrubber.value(Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, inert(value)])))

const linksOf = (scrubber: Scrubber, links: ReadonlyArray<Tracer.SpanLink>): ReadonlyArray<Tracer.SpanLink> =>
  links.map(({ _tag, attributes, span }) => ({
    _tag,
    span: madeOf(span),
    attributes: scrubbed(scrubber, attributes)
  }))

const spanOf = (scrubber: Scrubber, made: Tracer.Span): Tracer.Span => {
  const span: Tracer.Span = {
    _tag: "Span",
    name: made.name,
    spanId: made.spanId,
    traceId: made.traceId,
    parent: Option.map(made.parent, fromOutside),
    context: Context.empty(),
    get status() {
      return made.status
    },
    get attributes() {
      return new Map(made.attributes)
    },
    get links() {
      return made.links.map((link) => ({ ...link, span: fromOutside(link.span) }))
    },
    sampled: made.sampled,
    kind: made.kind,
    end: (at, exit) =>
      made.end(at, Exit.isFailure(exit) ? Exit.failCause(scrubber.cause(exit.cause)) : Exit.void),
    attribute: (key, value) => made.attribute(scrubber.text(key), scrubber.value(inert(value))),
    event: (name, at, attributes) =>
      made.event(
        scrubber.text(name),
        at,
        attributes === undefined ? undefined : scrubbed(scrubber, attributes)
      ),
    addLinks: (links) => made.addLinks(linksOf(scrubber, links))
  }
  behind.set(span, made)
  return span
}

/** The same function where there is nothing to hand on to: then the runtime goes on as if nobody traced. */
const native = Context.get(DefaultServices.liveServices, Tracer.Tracer)

export const discreet = (scrubber: Scrubber, tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    context: tracer === native ? native.context : (run, fiber) => tracer.context(run, fiber),
    span: (...[name, parent, context, links, at, kind, options]: SpanArguments) => {
      const { attributes, links: linked, parent: _, ...rest } = options ?? {}
      const given = {
        ...rest,
        ...(linked === undefined ? {} : { links: linksOf(scrubber, linked) }),
        ...(attributes === undefined ? {} : { attributes: scrubbed(scrubber, attributes) })
      }
      const made = tracer.span(
        scrubber.text(name),
        Option.map(parent, madeOf),
        context,
        linksOf(scrubber, links),
        at,
        kind,
        given
      )
      return spanOf(scrubber, made)
    }
  })

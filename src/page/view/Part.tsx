/** One part of the page, with its heading. */
import type { ComponentChildren } from "preact"
import type { Section } from "../state/Address.js"

export const titles: Readonly<Record<Section, string>> = {
  may: "What agents may touch",
  did: "What they did",
  unused: "What was never used",
  tools: "What each tool touches",
  decisions: "Decisions"
}

export const Part = ({
  about,
  children,
  name
}: {
  readonly name: Section
  readonly about?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section class="part" id={name} aria-labelledby={`${name}-title`}>
    <div class="part-head">
      <h2 id={`${name}-title`} tabIndex={-1}>
        {titles[name]}
      </h2>
      {about === undefined ? null : <p class="about">{about}</p>}
    </div>
    {children}
  </section>
)

/** The top of the page: what was looked at and when, the way to its parts, and light or dark. */
import type { PageData } from "../PageData.js"
import { type Section, sections } from "../state/Address.js"
import type { Connection } from "../useLog.js"
import { type Theme, themes } from "../useTheme.js"
import { Said } from "./Marks.js"
import { titles } from "./Part.js"
import { dateAndTime } from "./Words.js"

const Sign = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M4 9.5 16 4l12 5.5V22.5L16 28 4 22.5Z" class="ground" />
    <path d="M4 9.5 16 4l12 5.5V22.5L16 28 4 22.5Z" class="fence" />
    <circle cx="16" cy="16" r="4" class="dot" />
  </svg>
)

const says: Readonly<Record<Exclude<Connection, "none">, string>> = {
  open: "Live",
  lost: "Not connected"
}

export const Head = ({
  connection,
  data,
  setTheme,
  theme
}: {
  readonly data: PageData
  readonly connection: Connection
  readonly theme: Theme
  readonly setTheme: (theme: Theme) => void
}) => (
  <header class="top">
    <Sign />
    <div class="names">
      <h1>Audit</h1>
      <p>
        <Said>{data.about}</Said>
      </p>
    </div>
    <p class="stamp">
      {connection === "none" ? (
        <>
          as of <time dateTime={new Date(data.generated).toISOString()}>{dateAndTime(data.generated)}</time>
        </>
      ) : (
        <span class={`live ${connection}`} role="status">
          {says[connection]}
        </span>
      )}
    </p>
    <fieldset class="themes">
      <legend class="hidden">Colours</legend>
      {themes.map((one) => (
        <label key={one}>
          <input type="radio" name="theme" checked={theme === one} onChange={() => setTheme(one)} />
          <span>{one}</span>
        </label>
      ))}
    </fieldset>
  </header>
)

/** A link also leads there when it is followed again. */
export const Ways = ({
  addressOf,
  goTo
}: {
  readonly addressOf: (section: Section) => string
  readonly goTo: (section: Section) => void
}) => (
  <nav class="ways" aria-label="Parts of this page">
    <ul>
      {sections.map((section) => (
        <li key={section}>
          <a href={addressOf(section)} onClick={() => goTo(section)}>
            {titles[section]}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

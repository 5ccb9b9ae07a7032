/** What to search for, and what to leave out. Everything that is set here stands in the address of the page. */
import { type Filters, isFiltered, noFilters } from "../log/Filters.js"
import { number } from "./Words.js"

const sinces: ReadonlyArray<readonly [value: string, text: string]> = [
  ["", "All time"],
  ["15m", "Last 15 minutes"],
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"]
]

export interface Choices {
  readonly agent: ReadonlyArray<string>
  readonly tool: ReadonlyArray<string>
  readonly capability: ReadonlyArray<string>
  readonly session: ReadonlyArray<string>
}

/** What the address asks for can be chosen, be it in the log or not. */
const withChosen = (choices: ReadonlyArray<string>, chosen: string): ReadonlyArray<string> =>
  chosen === "" || choices.includes(chosen) ? choices : [...choices, chosen]

const Choice = ({
  all,
  choices,
  label,
  set,
  value
}: {
  readonly label: string
  readonly all: string
  readonly choices: ReadonlyArray<string>
  readonly value: string
  readonly set: (value: string) => void
}) => (
  <label class={value === "" ? "choice" : "choice set"}>
    <span>{label}</span>
    <select value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
      <option value="">{all}</option>
      {withChosen(choices, value).map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </select>
  </label>
)

export const FilterBar = ({
  choices,
  filters,
  set,
  spanText
}: {
  readonly filters: Filters
  readonly choices: Choices
  /** The stretch of time that is selected, in words, where it is none of those that can be chosen. */
  readonly spanText: string | undefined
  readonly set: (change: Partial<Filters>) => void
}) => (
  <search class="filters" aria-label="Filters of decisions">
    <label class="choice query">
      <span>Search</span>
      <input
        type="search"
        value={filters.q}
        placeholder="A host, a path, a code …"
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => set({ q: currentTarget.value })}
      />
    </label>
    <Choice
      label="Agent"
      all="All"
      choices={choices.agent}
      value={filters.agent}
      set={(agent) => set({ agent })}
    />
    <Choice
      label="Tool"
      all="All"
      choices={choices.tool}
      value={filters.tool}
      set={(tool) => set({ tool })}
    />
    <Choice
      label="Capability"
      all="All"
      choices={choices.capability}
      value={filters.capability}
      set={(capability) => set({ capability })}
    />
    <label class={filters.since === "" && filters.until === "" ? "choice" : "choice set"}>
      <span>Time</span>
      <select
        value={spanText === undefined ? filters.since : "span"}
        onChange={({ currentTarget: { value } }) =>
          set({ since: value === "span" ? filters.since : value, until: "" })
        }
      >
        {sinces.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
        {spanText === undefined ? null : <option value="span">{spanText}</option>}
      </select>
    </label>
    <label class={filters.session === "" ? "choice" : "choice set"}>
      <span>Session</span>
      <input
        list="sessions"
        value={filters.session}
        placeholder={`All ${number(choices.session.length)}`}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => set({ session: currentTarget.value })}
      />
      <datalist id="sessions">
        {choices.session.slice(0, 100).map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
    <label class="only">
      <input
        type="checkbox"
        checked={filters.denied}
        onChange={({ currentTarget }) => set({ denied: currentTarget.checked })}
      />
      <span>Refused only</span>
    </label>
    <button type="button" class="clear" disabled={!isFiltered(filters)} onClick={() => set(noFilters)}>
      Clear
    </button>
  </search>
)

/** Whether a time was selected that is none of those that can be chosen. */
export const isOwnSpan = ({ since, until }: Filters): boolean =>
  until !== "" || !sinces.some(([value]) => value === since)

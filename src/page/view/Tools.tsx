/** The surface of each tool: what it declares to touch, and how often it was called. */
import { useState } from "preact/hooks"
import type { Tally, ToolUse } from "../log/Tally.js"
import type { Tool } from "../PageData.js"
import { Refused, RiskLabel, Said } from "./Marks.js"
import { number } from "./Words.js"

const FIRST = 12

interface Listed extends Tool {
  readonly use: ToolUse
  /** Whether it is there now, and not only in the log. */
  readonly isKnown: boolean
}

const UNCALLED = { calls: 0, refused: 0 }

/** The most called first; of those that nobody called, those of the team's own. */
const listOf = (tools: ReadonlyArray<Tool>, tally: Tally): ReadonlyArray<Listed> => {
  const known = new Set(tools.map(({ name }) => name))
  const gone = [...tally.tools]
    .filter(([name]) => !known.has(name))
    .map(([name, use]): Listed => ({ name, origin: use.origin, surface: [], use, isKnown: false }))
  return [
    ...tools.map(
      (tool): Listed => ({
        ...tool,
        use: tally.tools.get(tool.name) ?? { ...UNCALLED, origin: tool.origin },
        isKnown: true
      })
    ),
    ...gone
  ].sort(
    (a, b) =>
      b.use.calls - a.use.calls ||
      Number(a.origin === "builtin") - Number(b.origin === "builtin") ||
      (a.name < b.name ? -1 : 1)
  )
}

/** `read: /work` in two parts. */
const Line = ({ text }: { readonly text: string }) => {
  const at = text.indexOf(": ")
  return at < 0 ? (
    <Said>{text}</Said>
  ) : (
    <>
      <span class="category">{text.slice(0, at)}</span> <Said>{text.slice(at + 2)}</Said>
    </>
  )
}

export const Tools = ({
  isPrinted,
  tally,
  tools
}: {
  /** Nobody opens anything on paper. */
  readonly isPrinted: boolean
  readonly tools: ReadonlyArray<Tool> | undefined
  readonly tally: Tally
}) => {
  const [isWhole, setWhole] = useState(false)
  const all = listOf(tools ?? [], tally)
  const shown = isWhole || isPrinted ? all : all.slice(0, FIRST)
  if (all.length === 0) return <p class="empty">There are no tools here, and none was called.</p>
  return (
    <>
      <div class="card tools">
        <table>
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">Risk</th>
              <th scope="col">Touches</th>
              <th scope="col">Calls</th>
              <th scope="col">Refused</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ isKnown, name, origin, risk, surface, use }) => (
              <tr key={name}>
                <th scope="row">
                  <span class="who">
                    <Said>{name}</Said>
                  </span>
                  <span class="what">
                    <Said>{origin}</Said>
                  </span>
                </th>
                <td class="at-stake">
                  {risk === undefined ? (
                    <span class="dim">{isKnown ? "none" : "not known"}</span>
                  ) : (
                    <RiskLabel risk={risk} />
                  )}
                </td>
                <td>
                  {!isKnown ? (
                    <span class="dim">
                      {tools === undefined ? "no workspace to look at" : "not there now"}
                    </span>
                  ) : surface.length === 0 ? (
                    <span class="dim">nothing</span>
                  ) : (
                    <ul class="surface">
                      {surface.map((line) => (
                        <li key={line}>
                          <Line text={line} />
                        </li>
                      ))}
                    </ul>
                  )}
                </td>
                <td class="count" data-label="calls">
                  {use.calls === 0 ? <span class="dim">none</span> : number(use.calls)}
                </td>
                <td class="count" data-label="refused">
                  {use.refused === 0 ? (
                    <span class="dim">none</span>
                  ) : (
                    <span class="refusals">
                      <Refused />
                      {number(use.refused)}
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length === all.length ? null : (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          Show all {number(all.length)}
        </button>
      )}
    </>
  )
}

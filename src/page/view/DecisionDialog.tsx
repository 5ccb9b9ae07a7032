/** All that the log has of one decision and of its call. */
import type { ComponentChildren } from "preact"
import type { Filters } from "../log/Filters.js"
import { type Log, textAt, whoOf } from "../log/Log.js"
import { Verdict } from "./DecisionList.js"
import { Dialog } from "./Dialog.js"
import { Code, Said } from "./Marks.js"
import { exactly, milliseconds, moment } from "./Words.js"

const Field = ({ children, name }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

export const DecisionDialog = ({
  close,
  log,
  row,
  set
}: {
  readonly log: Log
  readonly row: number
  readonly close: () => void
  readonly set: (change: Partial<Filters>) => void
}) => {
  const { calls, decisions } = log
  const call = decisions.call[row] ?? 0
  const time = decisions.time[row] ?? 0
  const text = (column: ReadonlyArray<number>): string => textAt(log, column, row)
  const ofCall = (column: ReadonlyArray<number>): string => textAt(log, column, call)
  const [agent, personality, result, id] = [calls.agent, calls.personality, calls.code, calls.id].map(ofCall)
  const [scope, code, reason, by] = [decisions.scope, decisions.code, decisions.reason, decisions.by].map(
    text
  )
  const session = ofCall(calls.session)
  const only = (change: Partial<Filters>) => () => {
    set(change)
    close()
  }
  return (
    <Dialog close={close} title={<Verdict isAllowed={decisions.allowed[row] === 1} code={code ?? ""} />}>
      <p class="asked-whole">
        <Code>{text(decisions.asked)}</Code>
      </p>
      <dl class="fields">
        <Field name="Time">
          {moment(time)} <span class="dim">{exactly(time)}</span>
        </Field>
        {agent ? (
          <Field name="Agent">
            <Said>{agent}</Said>
          </Field>
        ) : null}
        {personality ? (
          <Field name="Personality">
            <Said>{personality}</Said>
          </Field>
        ) : null}
        <Field name="Tool">
          <Said>{ofCall(calls.tool)}</Said>{" "}
          <span class="dim">
            <Said>{ofCall(calls.origin)}</Said>
          </span>
        </Field>
        <Field name="Capability">
          <Said>{text(decisions.capability)}</Said>
        </Field>
        {scope ? (
          <Field name="Allowed by">
            <Code>{scope}</Code>
          </Field>
        ) : null}
        {by ? (
          <Field name="Written in">
            <Code>{by}</Code>
          </Field>
        ) : null}
        {reason ? (
          <Field name="Reason">
            <Said>{reason.replaceAll("_", " ")}</Said>
          </Field>
        ) : null}
        <Field name="Call">
          <Code>{id || "none"}</Code>{" "}
          <span class="dim">
            {result ? (
              <>
                <Said>{result}</Said> in {milliseconds(calls.ms[call] ?? 0)}
              </>
            ) : (
              "not answered"
            )}
          </span>
        </Field>
        <Field name="Session">
          <Code>{session}</Code>
        </Field>
        <Field name="Policy">
          <Code>{ofCall(calls.revision)}</Code>
        </Field>
      </dl>
      <p class="actions">
        <span>Show only</span>
        <button type="button" onClick={only({ agent: whoOf(log, call) })}>
          this agent
        </button>
        <button type="button" onClick={only({ tool: ofCall(calls.tool) })}>
          this tool
        </button>
        <button type="button" onClick={only({ session })}>
          this session
        </button>
        {id ? (
          <button type="button" onClick={only({ session, q: id })}>
            this call
          </button>
        ) : null}
      </p>
    </Dialog>
  )
}

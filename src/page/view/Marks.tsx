/** Small signs. None says by its colour alone what it says. */
import type { ComponentChildren } from "preact"
import type { Risk } from "../PageData.js"

const LEVEL = { low: 1, medium: 2, high: 3 } as const

/** One, two or three bars. */
export const RiskBars = ({ risk }: { readonly risk: Risk }) => (
  <svg class="bars" viewBox="0 0 14 10" aria-hidden="true">
    <rect x="0" y="7" width="4" height="3" rx=".8" />
    <rect x="5" y="4" width="4" height="6" rx=".8" class={LEVEL[risk] < 2 ? "off" : undefined} />
    <rect x="10" y="0" width="4" height="10" rx=".8" class={LEVEL[risk] < 3 ? "off" : undefined} />
  </svg>
)

export const RiskLabel = ({ risk }: { readonly risk: Risk }) => (
  <span class={`risk ${risk}`}>
    <RiskBars risk={risk} />
    {risk}
  </span>
)

export const Allowed = () => (
  <svg class="sign" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M3.5 8.5l3 3 6-7" />
  </svg>
)

export const Refused = () => (
  <svg class="sign" viewBox="0 0 16 16" aria-hidden="true">
    <circle cx="8" cy="8" r="6" />
    <path d="M4 12l8-8" />
  </svg>
)

/** Text of others: it runs in its own direction, and leaves the words around it in theirs. */
export const Said = ({
  children,
  title
}: {
  readonly children: string
  readonly title?: string | undefined
}) => <bdi title={title}>{children}</bdi>

export const Code = ({ children }: { readonly children: string }) => (
  <code>
    <bdi>{children}</bdi>
  </code>
)

/** Where something is written. */
export const Place = ({ file, line }: { readonly file: string; readonly line: number }) => (
  <span class="place">
    <bdi>{`${file}:${line}`}</bdi>
  </span>
)

export const Hidden = ({ children }: { readonly children: ComponentChildren }) => (
  <span class="hidden">{children}</span>
)

/** Numbers and times as people read them. */
const numbers = new Intl.NumberFormat("en")

export const number = (value: number): string => numbers.format(value)

const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })

/** For places with little room: `1.2K`. */
export const shortNumber = (value: number): string => short.format(value)

export const some = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`

const format = (options: Intl.DateTimeFormatOptions): ((time: number) => string) => {
  const made = new Intl.DateTimeFormat("en-GB", { hourCycle: "h23", ...options })
  return (time) => made.format(time)
}

const clock = { hour: "2-digit", minute: "2-digit" } as const

/** `18 Nov 2026, 09:41` */
export const dateAndTime = format({ day: "numeric", month: "short", year: "numeric", ...clock })

/** `18 Nov, 09:41` */
export const dayAndTime = format({ day: "numeric", month: "short", ...clock })

/** `18 Nov, 09:41:07` */
export const moment = format({ day: "numeric", month: "short", ...clock, second: "2-digit" })

export const exactly = (time: number): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? "an unknown time" : date.toISOString()
}

export const clockTime = format(clock)

export const clockTimeWithSeconds = format({ ...clock, second: "2-digit" })

export const day = format({ day: "numeric", month: "short" })

const UNITS = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1000, "second"]
] as const

/** In the largest unit of which there are two or more. */
export const duration = (ms: number): string => {
  const [size, unit] = UNITS.find(([one]) => ms >= 2 * one) ?? [1000, "second"]
  return some(Math.max(1, Math.round(ms / size)), unit)
}

export const milliseconds = (ms: number): string =>
  ms < 1000 ? `${number(Math.round(ms * 10) / 10)} ms` : `${number(Math.round(ms / 100) / 10)} s`

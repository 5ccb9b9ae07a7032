/** C0 controls, DEL, and the line and paragraph separators: nothing that is granted or asked for needs them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
const CONTROL = /[\u0000-\u001f\u007f\u2028\u2029]/

export const hasControl = (text: string): boolean => CONTROL.test(text)

/** For messages: what was asked is shown, but never breaks the line that shows it. */
export const quote = (text: string): string => {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text
  return `'${shown.replace(new RegExp(CONTROL, "g"), (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)}'`
}

/** JSON whose text shows nothing but what it is, on a terminal, too. */

/** What JSON may hold as it is, and a terminal obeys, turns around or does not show. */
const UNSEEN =
  /[\u007f-\u009f\u061c\u2028\u2029]|[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Co}\ufff9-\ufffb]/gu

const escaped = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

export const asJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(UNSEEN, escaped)

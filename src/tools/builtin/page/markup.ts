/** What elements of HTML mean to somebody who only reads the text. */

/** Nothing in them is meant to be read on its own: code, controls, what plays or draws, and ways around the site. */
export const unread: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "math",
  "canvas",
  "iframe",
  "noembed",
  "noframes",
  "object",
  "video",
  "audio",
  "select",
  "datalist",
  "textarea",
  "button",
  "nav"
])

/** Elements that have no end. */
export const hollow: ReadonlySet<string> = new Set([
  "area",
  "base",
  "br",
  "col",
  "embed",
  "hr",
  "img",
  "input",
  "link",
  "meta",
  "param",
  "source",
  "track",
  "wbr"
])

/** Elements that another of their kind ends. */
export const selfEnding: ReadonlySet<string> = new Set(["p", "li", "dd", "dt", "tr", "td", "th", "option"])

/** Where the words of a page begin, whatever was left open before. */
export const beginning: ReadonlySet<string> = new Set(["main", "article"])

/** Elements that stand apart, by how many line ends part them. */
export const blocks: ReadonlyMap<string, 1 | 2> = new Map<string, 1 | 2>([
  ...[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "details",
    "dl",
    "fieldset",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "main",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul"
  ].map((name) => [name, 2] as const),
  ...["br", "caption", "dd", "div", "dt", "figcaption", "legend", "li", "summary", "tr"].map(
    (name) => [name, 1] as const
  )
])

export const headings: ReadonlyMap<string, string> = new Map(
  [1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, `${"#".repeat(level)} `])
)

/** Whether an element with these attributes is shown to nobody. */
export const isHidden = (attributes: ReadonlyMap<string, string>): boolean =>
  attributes.has("hidden") ||
  attributes.get("aria-hidden") === "true" ||
  /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attributes.get("style") ?? "")

/** The attributes that are looked at. */
export const attributes: ReadonlySet<string> = new Set(["href", "alt", "hidden", "aria-hidden", "style"])

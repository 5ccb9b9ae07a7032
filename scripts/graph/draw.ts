/**
 * The house as a picture: rooms from the edges down to the ground that all stand on, the concepts in each, and who
 * imports whom. Every number is counted, and every arrow is there because some file imports another.
 */
import { dirname } from "node:path"
import type { Module } from "./modules.js"

const WIDTH = 1080
const MARGIN = 24
const HEADER = 34
const CHIP = 26
const PAD = 12

/** Where arrows run: beside the rooms, each in a lane of its own. */
const LANE = 15

/** From the edges down to the ground that all stand on. What is not listed is an edge, and comes first. */
const order = ["cli", "platform", "testing", "registry", "layers", "tools", "capabilities", "policy"]

/** Arrows have the colour of the room that they come from. */
const colours = ["#4493f8", "#8957e5", "#d1740a", "#2da44e", "#bf3989", "#0598bc", "#9a6700", "#cf222e"]

const about: Readonly<Record<string, string>> = {
  adapters: "messages and files from platforms",
  cli: "the command line",
  lint: "a rule for linters",
  isolated: "tools in processes of their own",
  platform: "services of @effect/platform over capabilities",
  testing: "doubles and contract suites",
  registry: "validates, resolves, executes, explains",
  layers: "touches the world",
  tools: "what a tool is, and the built-in ones",
  capabilities: "one folder a category: contract, backend, scoped service, double",
  policy: "what may be touched, and how it is written"
}

interface Room {
  readonly name: string
  readonly files: number
  /** The concepts in it, each with its number of files. */
  readonly concepts: ReadonlyArray<readonly [name: string, files: number]>
}

interface Box extends Room {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const roomOf = (path: string): string => path.split("/")[0] ?? path

const isInRoom = ({ path }: Module): boolean => path.includes("/")

const conceptOf = (path: string): string => {
  const [, ...rest] = dirname(path).split("/")
  return rest.slice(0, rest[0] === "node" ? 2 : 1).join("/")
}

const roomsOf = (modules: ReadonlyArray<Module>): ReadonlyMap<string, Room> => {
  const counted = new Map<string, Map<string, number>>()
  for (const { path } of modules.filter(isInRoom)) {
    const concepts = counted.get(roomOf(path)) ?? new Map<string, number>()
    concepts.set(conceptOf(path), (concepts.get(conceptOf(path)) ?? 0) + 1)
    counted.set(roomOf(path), concepts)
  }
  return new Map(
    [...counted].map(([name, concepts]) => [
      name,
      {
        name,
        files: [...concepts.values()].reduce((sum, one) => sum + one, 0),
        concepts: [...concepts].filter(([concept]) => concept !== "").sort(([a], [b]) => (a < b ? -1 : 1))
      }
    ])
  )
}

/** Imports from room to room, with how many there are. */
const linksOf = (modules: ReadonlyArray<Module>): ReadonlyMap<string, number> => {
  const all = new Map<string, number>()
  for (const { imports, path } of modules.filter(isInRoom)) {
    for (const to of imports) {
      const key = `${roomOf(path)} ${roomOf(to)}`
      if (to.includes("/") && roomOf(path) !== roomOf(to)) all.set(key, (all.get(key) ?? 0) + 1)
    }
  }
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** About as wide as the text is in the font that the picture asks for. */
const widthOf = (text: string, size: number): number => Math.ceil(text.length * size * 0.6)

const chipWidth = ([name, files]: readonly [string, number]): number => widthOf(`${name} ${files}`, 12) + 18

/** Chips in lines, as words are. */
const lines = (room: Room, width: number): ReadonlyArray<ReadonlyArray<readonly [string, number]>> => {
  const all: Array<Array<readonly [string, number]>> = [[]]
  let used = 0
  for (const chip of room.concepts) {
    const wide = chipWidth(chip) + 8
    if (used + wide > width - 2 * PAD && used > 0) {
      all.push([])
      used = 0
    }
    all.at(-1)?.push(chip)
    used += wide
  }
  return all.filter((line) => line.length > 0)
}

const heightOf = (room: Room, width: number): number =>
  HEADER + lines(room, width).length * (CHIP + 6) + (room.concepts.length === 0 ? 4 : PAD)

/** Arrows that come or go need room for their numbers. */
const PORT = 15

const layout = (
  rooms: ReadonlyMap<string, Room>,
  links: ReadonlyMap<string, number>,
  width: number
): ReadonlyArray<Box> => {
  const edges = [...rooms.keys()].filter((name) => !order.includes(name)).sort()
  let y = MARGIN + 30
  return [...edges, ...order].flatMap((name) => {
    const room = rooms.get(name)
    if (room === undefined) return []
    const ports = [...links.keys()].filter((link) => link.split(" ").includes(name)).length
    const height = Math.max(heightOf(room, width), PORT * (ports + 1))
    const box = { ...room, x: MARGIN, y, width, height }
    y += box.height + 14
    return [box]
  })
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const drawBox = (box: Box): ReadonlyArray<string> => [
  `<g class="room"><rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="10"/>`,
  `<text x="${box.x + PAD}" y="${box.y + 22}" class="name">${box.name}/</text>`,
  `<text x="${box.x + PAD + widthOf(`${box.name}/ `, 16)}" y="${box.y + 22}" class="about">${escape(
    `${about[box.name] ?? ""} · ${box.files} files`
  )}</text>`,
  ...lines(box, box.width).flatMap((line, row) => {
    let x = box.x + PAD
    const y = box.y + HEADER + row * (CHIP + 6)
    return line.flatMap((chip) => {
      const width = chipWidth(chip)
      const drawn = [
        `<rect class="chip" x="${x}" y="${y}" width="${width}" height="${CHIP}" rx="13"/>`,
        `<text class="concept" x="${x + 9}" y="${y + 17}">${chip[0]} <tspan class="count">${chip[1]}</tspan></text>`
      ]
      x += width + 8
      return drawn
    })
  }),
  "</g>"
]

interface Link {
  readonly from: Box
  readonly to: Box
  readonly count: number
}

const between = (boxes: ReadonlyArray<Box>, links: ReadonlyMap<string, number>): ReadonlyArray<Link> => {
  const by = new Map(boxes.map((box) => [box.name, box]))
  const found = [...links].flatMap(([key, count]) => {
    const [from, to] = key.split(" ").map((name) => by.get(name))
    return from === undefined || to === undefined ? [] : [{ from, to, count }]
  })
  // The shorter the way, the nearer its lane: so that none crosses more than it must.
  return found.sort((a, b) => a.to.y - a.from.y - (b.to.y - b.from.y) || a.from.y - b.from.y)
}

/** Where on the right side of a box an arrow leaves or arrives: those that go far below those that do not. */
const port = (box: Box, index: number, of: number): number =>
  Math.round(box.y + (box.height * (index + 1)) / (of + 1))

const drawLinks = (boxes: ReadonlyArray<Box>, links: ReadonlyArray<Link>): ReadonlyArray<string> =>
  links.flatMap((link, lane) => {
    const { count, from, to } = link
    const ports = (box: Box) => [
      ...links.filter((one) => one.to === box).reverse(),
      ...links.filter((one) => one.from === box).reverse()
    ]
    const y1 = port(from, ports(from).indexOf(link), ports(from).length)
    const y2 = port(to, ports(to).indexOf(link), ports(to).length)
    const left = from.x + from.width
    const x = left + 46 + lane * LANE
    const colour = colours[boxes.indexOf(from) % colours.length]
    const thickness = (1 + Math.log10(count)).toFixed(1)
    return [
      `<path class="link" stroke="${colour}" stroke-width="${thickness}" d="M${left} ${y1} H${x - 8} Q${x} ${y1} ${x} ${y1 + 8} V${y2 - 8} Q${x} ${y2} ${x - 8} ${y2} H${left + 9}"/>`,
      `<path fill="${colour}" d="M${left + 2} ${y2} l9 -4 v8 z"/>`,
      `<text class="weight" x="${left + 14}" y="${y2 - 3}">${count}</text>`
    ]
  })

const style = `
text { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
.title { font-size: 15px; fill: #59636e } .name { font-size: 16px; font-weight: 600 } .about { font-size: 12px; fill: #59636e }
.room rect { fill: #f6f8fa; stroke: #d1d9e0 } .room .chip { fill: #ffffff; stroke: #d1d9e0 }
.concept { font-size: 12px } .count, .weight { fill: #818b98; font-size: 11px }
.link { fill: none; opacity: 0.8 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .title, .about { fill: #9198a1 } .count, .weight { fill: #9198a1 }
  .room rect { fill: #151b23; stroke: #3d444d } .room .chip { fill: #212830; stroke: #3d444d }
}`

/** The whole picture. The same graph gives the same bytes. */
export const draw = (modules: ReadonlyArray<Module>): string => {
  const links = linksOf(modules)
  const width = WIDTH - 2 * MARGIN - 60 - links.size * LANE
  const boxes = layout(roomsOf(modules), links, width)
  const height = Math.max(...boxes.map((box) => box.y + box.height)) + MARGIN
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="The rooms of src and who imports whom">`,
    `<style>${style}\n</style>`,
    `<text class="title" x="${MARGIN}" y="${MARGIN + 6}">Each room stands on those below. An arrow is an import from room to room; the number says how many there are.</text>`,
    ...boxes.flatMap(drawBox),
    ...drawLinks(boxes, between(boxes, links)),
    "</svg>",
    ""
  ].join("\n")
}

/** A picture with a palette in place of four bytes a point: of a screen with few colours it is a third as large. */
import { crc32, deflateSync, inflateSync } from "node:zlib"

const SIGNATURE = 8
const CHANNELS: Readonly<Record<number, number>> = { 2: 3, 6: 4 }
const MOST = 256

interface Points {
  readonly width: number
  readonly height: number
  /** One number a point: red, green and blue. */
  readonly colours: Uint32Array
}

const paeth = (a: number, b: number, c: number): number => {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
  if (pa <= pb && pa <= pc) return a
  return pb <= pc ? b : c
}

/** What was taken off each byte before it was packed. */
const predicted = (filter: number, left: number, up: number, corner: number): number =>
  [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0

const read = (png: Buffer): Points => {
  const data: Array<Buffer> = []
  let [width, height, channels] = [0, 0, 4]
  for (let at = SIGNATURE; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const type = png.toString("latin1", at + 4, at + 8)
    const body = png.subarray(at + 8, at + 8 + length)
    if (type === "IHDR") {
      width = body.readUInt32BE(0)
      height = body.readUInt32BE(4)
      channels = CHANNELS[body[9] ?? 0] ?? 0
      if (body[8] !== 8 || channels === 0) throw new Error("the picture is not as a browser makes it")
    }
    if (type === "IDAT") data.push(body)
    at += length + 12
  }
  const raw = inflateSync(Buffer.concat(data))
  const line = width * channels
  const bytes = new Uint8Array(line * height)
  const colours = new Uint32Array(width * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (line + 1)] ?? 0
    for (let x = 0; x < line; x++) {
      const at = y * line + x
      const left = x < channels ? 0 : (bytes[at - channels] ?? 0)
      const up = y === 0 ? 0 : (bytes[at - line] ?? 0)
      const corner = x < channels || y === 0 ? 0 : (bytes[at - line - channels] ?? 0)
      bytes[at] = (raw[y * (line + 1) + 1 + x] ?? 0) + predicted(filter, left, up, corner)
    }
  }
  for (let at = 0; at < colours.length; at++) {
    const from = at * channels
    colours[at] = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0)
  }
  return { width, height, colours }
}

const parts = (colour: number): readonly [number, number, number] => [
  colour >> 16,
  (colour >> 8) & 255,
  colour & 255
]

const distance = (a: number, b: number): number => {
  const [one, other] = [parts(a), parts(b)]
  return one.reduce((sum, part, at) => sum + (part - (other[at] ?? 0)) ** 2, 0)
}

const chunk = (type: string, body: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(body.length, 0)
  ends.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)])
}

/** The colours that are most often there stay; the shades of letters that are not become the nearest that are. */
export const smallPng = (png: Buffer): Buffer => {
  const { colours, height, width } = read(png)
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const palette = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST)
    .map(([colour]) => colour)
  const place = new Map(palette.map((colour, at) => [colour, at]))
  for (const colour of counts.keys()) {
    if (place.has(colour)) continue
    const nearest = palette.reduce((best, one) =>
      distance(one, colour) < distance(best, colour) ? one : best
    )
    place.set(colour, palette.indexOf(nearest))
  }
  const raw = Buffer.alloc((width + 1) * height)
  for (let at = 0; at < colours.length; at++) {
    raw[at + Math.floor(at / width) + 1] = place.get(colours[at] ?? 0) ?? 0
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  head[9] = 3
  return Buffer.concat([
    png.subarray(0, SIGNATURE),
    chunk("IHDR", head),
    chunk("PLTE", Buffer.from(palette.flatMap(parts))),
    chunk("IDAT", deflateSync(raw, { level: 9 })),
    chunk("IEND", Buffer.alloc(0))
  ])
}

// Part of a page as a PNG: an SVG with its styles inlined, canvases in place, tables drawn as text.

import { currentInk } from '../charts/ink.ts'

/** Twice the resolution of a standard screen, for printing. */
const SCALE = 2
const MARGIN = 12

/** Style properties of the parts of a chart. */
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'opacity',
  'font-size',
  'font-weight',
  'font-family',
  'display',
]

function canvasOf(width: number, height: number): readonly [HTMLCanvasElement, CanvasRenderingContext2D] {
  const canvas = document.createElement('canvas')
  canvas.width = Math.ceil(width * SCALE)
  canvas.height = Math.ceil(height * SCALE)
  const context = canvas.getContext('2d')
  if (!context) throw new Error('this browser cannot draw images')
  context.scale(SCALE, SCALE)
  context.fillStyle = currentInk().surface
  context.fillRect(0, 0, width, height)
  return [canvas, context]
}

function blobOf(canvas: HTMLCanvasElement): Promise<Blob> {
  const { promise, resolve, reject } = Promise.withResolvers<Blob>()
  canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large'))), 'image/png')
  return promise
}

/** The chart inside an element: its SVG, the canvases above it, and its legend. */
export async function chartPng(box: HTMLElement): Promise<Blob> {
  const { width, height, left, top } = box.getBoundingClientRect()
  const [canvas, context] = canvasOf(width + 2 * MARGIN, height + 2 * MARGIN)
  for (const svg of box.querySelectorAll('svg')) {
    const place = svg.getBoundingClientRect()
    context.drawImage(await imageOf(svg), place.left - left + MARGIN, place.top - top + MARGIN, place.width, place.height)
  }
  for (const drawn of box.querySelectorAll('canvas')) {
    const place = drawn.getBoundingClientRect()
    context.drawImage(drawn, place.left - left + MARGIN, place.top - top + MARGIN, place.width, place.height)
  }
  context.translate(MARGIN - left, MARGIN - top)
  for (const key of box.querySelectorAll('.chart-keys [aria-pressed=true]')) drawContents(context, key)
  return blobOf(canvas)
}

async function imageOf(svg: SVGSVGElement): Promise<HTMLImageElement> {
  const copy = svg.cloneNode(true)
  if (!(copy instanceof SVGSVGElement)) throw new Error('no SVG')
  const [before, after] = [svg.querySelectorAll<SVGElement>('*'), copy.querySelectorAll<SVGElement>('*')]
  before.forEach((element, at) => {
    const style = getComputedStyle(element)
    const target = after[at]
    for (const name of STYLES) target?.style.setProperty(name, style.getPropertyValue(name))
  })
  for (const each of copy.querySelectorAll('foreignObject')) each.remove()
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`
  await image.decode()
  return image
}

/** Bars and words of an element, each in its place. Drawn from a copy in which lists that scroll have their whole length. */
export function shownPng(shown: HTMLElement): Promise<Blob> {
  const box = document.createElement('div')
  box.className = 'unrolled'
  box.style.width = `${shown.clientWidth}px`
  box.append(shown.cloneNode(true))
  shown.after(box)
  const { width, height, left, top } = box.getBoundingClientRect()
  const [canvas, context] = canvasOf(width + 2 * MARGIN, height + 2 * MARGIN)
  context.translate(MARGIN - left, MARGIN - top)
  drawContents(context, box)
  box.remove()
  return blobOf(canvas)
}

function drawContents(context: CanvasRenderingContext2D, element: Element): void {
  for (const bar of element.querySelectorAll(BARS)) drawBar(context, bar)
  context.textBaseline = 'middle'
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) if (texts.currentNode instanceof Text) drawWords(context, texts.currentNode)
}

/** A timeline has a ground, its phases and marks. */
const BARS = 'i, .part, .tier, .attempt-line, .attempt-line b, .tick'

function drawBar(context: CanvasRenderingContext2D, bar: Element): void {
  const { left, top, width, height } = bar.getBoundingClientRect()
  const { backgroundColor, borderTopColor, borderTopWidth } = getComputedStyle(bar)
  context.fillStyle = backgroundColor
  context.fillRect(left, top, width, height)
  const border = Number.parseFloat(borderTopWidth)
  if (border === 0) return
  context.strokeStyle = borderTopColor
  context.lineWidth = border
  context.strokeRect(left + border / 2, top + border / 2, width - border, height - border)
}

/** Word by word, because a line may break between any two. */
function drawWords(context: CanvasRenderingContext2D, text: Text): void {
  if (!text.parentElement) return
  const { color, fontWeight, fontSize, fontFamily } = getComputedStyle(text.parentElement)
  context.fillStyle = color
  context.font = `${fontWeight} ${fontSize} ${fontFamily}`
  for (const { index, 0: word } of text.data.matchAll(/\S+/g)) {
    const range = document.createRange()
    range.setStart(text, index)
    range.setEnd(text, index + word.length)
    const { left, top, height } = range.getBoundingClientRect()
    // What is folded away has no place.
    if (height > 0) context.fillText(word, left, top + height / 2)
  }
}

const ROW_PX = 24
const GAP_PX = 22
const FONT_PX = 12.5

/** Rows of text as a table; the first is its head. */
export function tablePng(rows: readonly (readonly string[])[]): Promise<Blob> {
  const family = getComputedStyle(document.body).fontFamily
  const font = (weight: number): string => `${weight} ${FONT_PX}px ${family}`
  const probe = canvasOf(1, 1)[1]
  probe.font = font(600)
  const columns = Math.max(...rows.map((row) => row.length), 1)
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => probe.measureText(row[at] ?? '').width)) + GAP_PX)
  const [canvas, context] = canvasOf(
    widths.reduce((sum, each) => sum + each, 2 * MARGIN),
    rows.length * ROW_PX + 2 * MARGIN,
  )
  const ink = currentInk()
  context.textBaseline = 'middle'
  rows.forEach((row, at) => {
    const y = MARGIN + (at + 0.5) * ROW_PX
    context.font = font(at === 0 ? 600 : 400)
    context.fillStyle = at === 0 ? ink.muted : ink.ink
    row.reduce((x, text, column) => {
      context.fillText(text, x, y)
      return x + (widths[column] ?? 0)
    }, MARGIN)
    context.fillStyle = ink.line
    context.fillRect(MARGIN, y + ROW_PX / 2 - 1, canvas.width / SCALE - 2 * MARGIN, 1)
  })
  return blobOf(canvas)
}

// Real text: the documentation that Debian has installed on this machine (manuals, change logs, licences, and the books of debian-handbook, linux-doc
// and python3-doc where they are), in documents of a few thousand characters. It has the duplicates that real text has.

import { closeSync, globSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const WHERE = ['/usr/share/doc/**/*', '/usr/share/man/man*/*']
const READABLE = /(?:\.(?:txt|rst|html|md|NEWS|[1-8])|\/(?:README[^/]*|copyright|changelog[^/]*|NEWS[^/]*))(?:\.gz)?$/
const MOST_FILE_BYTES = 4e6
const PIECE_CHARACTERS = 6_000

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', mdash: '-', '#39': "'" }

/** Paragraphs of a page, without its marks. */
const withoutMarkup = (page: string): string =>
  page
    .replaceAll(/<(script|style|head)\b.*?<\/\1>/gis, '')
    .replaceAll(/<\/(?:p|div|li|tr|h\d|pre|dt|dd)>|<br\b[^>]*>/gi, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(#?\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')

const withoutRoff = (page: string): string =>
  page
    .replaceAll(/^[.'](?:\\"|de|if|ie|el|nr|ds|so|in|ft|ad|nh).*$/gm, '')
    .replaceAll(/^[.'][A-Za-z]+ ?/gm, '')
    .replaceAll(/\\f\[\w*\]|\\f.|\\[&|^,/]|\\[mF]\[\w*\]|\\s[-+]?\d/g, '')
    .replaceAll(/\\\(\w\w/g, ' ')
    .replaceAll(/\\([- .])/g, '$1')

/** Pieces at the ends of paragraphs. */
function* piecesOf(text: string): Generator<string> {
  let rest = text.trim()
  while (rest.length > 2 * PIECE_CHARACTERS) {
    const cut = rest.indexOf('\n\n', PIECE_CHARACTERS)
    if (cut < 0) break
    yield rest.slice(0, cut)
    rest = rest.slice(cut).trimStart()
  }
  if (rest.length >= 200) yield rest
}

function* textsOf(path: string): Generator<string> {
  if (!READABLE.test(path) || !statSync(path).isFile() || statSync(path).size > MOST_FILE_BYTES) return
  const bytes = path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)
  const text = new TextDecoder().decode(bytes)
  // Other encodings show as replacement characters.
  if (text.includes('\uFFFD') || text.includes('\0')) return
  yield* piecesOf(path.includes('.html') ? withoutMarkup(text) : path.startsWith('/usr/share/man') ? withoutRoff(text) : text)
}

/** Every real document, in the order of the files' names. */
export function* realTexts(): Generator<{ readonly path: string; readonly text: string }> {
  for (const path of globSync(WHERE).toSorted()) for (const text of textsOf(path)) yield { path, text }
}

/** Writes real documents as a file of the corpus, about so many bytes of them at most, and returns how many bytes there are. */
export function writeRealText(directory: string, mostBytes: number): number {
  const handle = openSync(join(directory, 'debian-00000.jsonl'), 'w')
  let bytes = 0
  let documents = 0
  for (const { path, text } of realTexts()) {
    const url = `file://${path}`
    bytes += writeSync(handle, `${JSON.stringify({ id: `debian-${documents}`, source: 'debian', url, text })}\n`)
    documents += 1
    if (bytes >= mostBytes) break
  }
  closeSync(handle)
  return bytes
}

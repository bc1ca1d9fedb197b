// What a person reads in the browser when signing in did not lead to the console.

import { hash } from 'node:crypto'

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (each) => HTML[each] ?? '')

/** Close to the console, which the page cannot load from. */
const STYLE = [
  ':root { color-scheme: light dark }',
  'body { max-width: 34rem; margin: 12vh auto; padding: 0 24px; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }',
  'h1 { font-size: 1.35rem }',
].join('\n')

/** No script, no other site, no frame; of styles, that one. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  'referrer-policy': 'no-referrer',
}

export const signInPage = (title: string, paragraphs: readonly string[]): string =>
  [
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)} · Ironlaw</title>`,
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style>`,
    `<h1>${escaped(title)}</h1>`,
    ...paragraphs.map((text) => `<p>${escaped(text)}</p>`),
    '<p><a href="/console/">Back to the console</a></p></html>',
    '',
  ].join('\n')

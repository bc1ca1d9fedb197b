// What a person reads in the browser when signing in did not lead to the console.

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (each) => HTML[each] ?? '')

/** No script, no other site, no frame. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
}

export const signInPage = (title: string, paragraphs: readonly string[]): string =>
  [
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)} · Ironlaw</title>`,
    `<h1>${escaped(title)}</h1>`,
    ...paragraphs.map((text) => `<p>${escaped(text)}</p>`),
    '<p><a href="/console/">Back to the console</a></p></html>',
    '',
  ].join('\n')

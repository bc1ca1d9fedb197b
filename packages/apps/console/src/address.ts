// The address bar as the state of a page: `#/page?field=value`. A missing or invalid field has its default, and a field at its default
// is omitted, so that a shared link holds only what the user chose. After the hash, so that a static host needs no rewrite rules.

type Value = string | number

export type Codec<T extends Value> = { readonly fallback: T; readonly read: (written: string) => T | undefined }

export const text = (fallback: string): Codec<string> => ({ fallback, read: (written) => written })

export const wholeNumber = (fallback: number): Codec<number> => ({
  fallback,
  read: (written) => (/^\d{1,15}$/.test(written) ? Number(written) : undefined),
})

/** The first is the default. */
export const oneOf = <const T extends string>(names: readonly [T, ...T[]]): Codec<T> => ({
  fallback: names[0],
  read: (written) => names.find((name) => name === written),
})

export type Fields = Readonly<Record<string, Codec<Value>>>
export type State<F extends Fields> = { readonly [K in keyof F]: F[K] extends Codec<infer T> ? T : never }

export type PageLocation = { readonly page: string; readonly parameters: URLSearchParams }

export function parseHash(hash: string): PageLocation {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  return { page: path, parameters: new URLSearchParams(query) }
}

export function stateOf<F extends Fields>(fields: F, parameters: URLSearchParams): State<F> {
  const entries = Object.entries(fields).map(([name, { fallback, read }]) => {
    const written = parameters.get(name)
    return [name, written === null ? fallback : (read(written) ?? fallback)]
  })
  // The names and types match the codecs, which `fromEntries` cannot express.
  return Object.fromEntries(entries) as State<F>
}

export const addressOf = <F extends Fields>(page: string, fields: F, state: State<F>): string => changedAddress(`#/${page}`, fields, state)

/** An address with these fields in place of those that it has; others, such as those of a table on the page, stay. */
export function changedAddress<F extends Fields>(hash: string, fields: F, state: State<F>): string {
  const { page, parameters } = parseHash(hash)
  for (const [name, { fallback }] of Object.entries(fields))
    if (state[name] === fallback) parameters.delete(name)
    else parameters.set(name, String(state[name]))
  return `#/${page}${parameters.size === 0 ? '' : `?${parameters.toString()}`}`
}

// Where lineage is sent, as `--openlineage` names it.

import { IronlawError } from '@ironlaw/contracts'
import type { WebOptions } from '../audit-sinks/post.ts'
import { authorityIn, INSECURE, isPrivate, publicName } from '../audit-sinks/web-address.ts'

export type LineageTarget = WebOptions & {
  readonly url: string
  /** What logs may show. */
  readonly name: string
}

export function lineageTarget(text: string, token?: string): LineageTarget {
  const wrong = (problem: string): IronlawError =>
    new IronlawError('IL_USAGE', { problem: `--openlineage ${text}: ${problem}`, command: 'up' })
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw wrong('expected an address such as https://HOST/api/v1/lineage')
  if (!isPrivate(url)) throw wrong(INSECURE)
  const ca = authorityIn(url, wrong)
  return { url: url.href, name: publicName(url), ...ca, ...(token ? { token } : {}) }
}

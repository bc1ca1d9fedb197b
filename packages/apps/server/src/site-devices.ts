// The site's file of accelerators: which of the cluster's names a plan's accelerator goes by, and what one is capable of.

import { existsSync, readFileSync } from 'node:fs'
import { IronlawError, type SiteDevice } from '@ironlaw/contracts'
import { readValue } from '@ironlaw/contracts/read-value'
import { SITE_DEVICES, siteDevicesOf } from '@ironlaw/contracts/site-devices'

export function readSiteDevices(file: string): readonly SiteDevice[] {
  const refuse = (problem: string): IronlawError =>
    new IronlawError('IL_USAGE', { problem: `--accelerators ${file}: ${problem}`, command: 'up' })
  if (!existsSync(file)) throw refuse('there is no such file')
  const text = readFileSync(file, 'utf8')
  const parsed = readValue(SITE_DEVICES, jsonIn(text))
  if (parsed.success) return siteDevicesOf(parsed.data)
  const [first] = parsed.error.issues
  throw refuse(`${first?.path.join('.') || 'the file'}: ${first?.message ?? 'expected an object'}`)
}

/** Undefined where it is no JSON, which the schema refuses. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Refused by the schema like any other value.
    return undefined
  }
}

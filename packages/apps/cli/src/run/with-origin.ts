// Adds to a request for a run what it is made of: the code of its program, and the spec as it was written.

import type { CreateRun } from '@ironlaw/contracts/api'
import { RECORDED_SPEC, withoutValues } from '@ironlaw/contracts/run-origin'
import { counted } from '@ironlaw/units'
import * as z from 'zod'
import { readDocument } from '../input-file.ts'
import { codeOf, type FoundCode } from './program-code.ts'

const DOCUMENT = z.record(z.string(), z.json())

/** `line` tells the user which code it is before the confirmation. */
export async function withOrigin(body: CreateRun, file: string): Promise<{ readonly body: CreateRun; readonly line: string }> {
  const found = await codeOf(body.program.directory)
  // A spec too long to be kept with every run is left out; the plan has its decisions.
  const { data: spec } = RECORDED_SPEC.safeParse(withoutValues(DOCUMENT.parse(JSON.parse(JSON.stringify(readDocument(file))))))
  return { body: { ...body, ...('code' in found && { code: found.code }), ...(spec && { spec }) }, line: codeText(found) }
}

function codeText(found: FoundCode): string {
  if ('unknown' in found) return `  code unknown: ${found.unknown}`
  const { commit, changes } = found.code
  return `  code ${commit.slice(0, 10)}${changes ? `, ${counted(changes.count, 'file')} with uncommitted changes` : ''}`
}

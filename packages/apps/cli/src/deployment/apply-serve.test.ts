import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogFor } from '../catalog/catalog-source.ts'
import { planServingAnswer } from '../plan/plan-serving.ts'
import { readServing } from '../plan/serve-source.ts'
import { deployablePlan, refuseOtherOwner } from './apply-serve.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ironlaw-apply-serve-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function writeSpec(disaggregated: string, objectives = { ttft: '500 ms', tpot: '40 ms' }): string {
  const path = join(folder, `${disaggregated}.json`)
  const traffic = { requests_per_s: 30, input_tokens: 800, output_tokens: 100 }
  const rest = { name: 'chat', model: 'Llama-3.1-8B', accelerators: ['h100-sxm'], disaggregated, traffic, objectives }
  writeFileSync(path, JSON.stringify({ apiVersion: 'ironlaw/v1', kind: 'Serve', ...rest }))
  return path
}

describe('a plan with pools for prompts and for decoding', () => {
  const catalog = catalogFor(undefined)
  const chosen = (path: string) => deployablePlan(catalog, readServing(catalog, path).wanted, path)

  test('is refused by apply, with the line that leads to one that runs', () => {
    const path = writeSpec('only')
    expect(() => chosen(path)).toThrow(/cannot be deployed: it has replicas of their own \(\d+ for prefill and \d+ for decode\)/)
    try {
      chosen(path)
    } catch (refusal) {
      expect(refusal).toMatchObject({
        code: 'IL_NOT_DEPLOYABLE',
        next: expect.stringMatching(
          /"disaggregated: never" into .*: \d+ x h100-sxm in one pool instead of \d+ x h100-sxm; or .* --export vllm/,
        ),
      })
    }
    expect(chosen(writeSpec('never')).pools.map(({ role }) => role)).toEqual(['all'])
  })

  test('says so where it is planned', () => {
    const planText = (path: string): string => planServingAnswer(path, { top: '1' }).text()
    expect(planText(writeSpec('only'))).toContain('"ironlaw apply" does not run this plan')
    expect(planText(writeSpec('never'))).not.toContain('does not run')
  })
})

describe('project and team of an existing deployment', () => {
  const living = { name: 'chat', project: 'search', team: 'web' }

  test('cannot change', () => {
    expect(() => refuseOtherOwner(living, { project: 'search', team: 'web' })).not.toThrow()
  })

  test.each([
    [{ project: 'default', team: 'web' }, 'deploy.project from "search" to "default", which', '"project: search"'],
    [
      { project: 'ads', team: 'shop' },
      'deploy.project from "search" to "ads" and deploy.team from "web" to "shop"',
      '"project: search, team: web"',
    ],
  ])('is not changed to %j in silence', (wanted, changes, kept) => {
    expect(() => refuseOtherOwner(living, wanted)).toThrow(changes)
    expect(() => refuseOtherOwner(living, wanted)).toThrow(`write ${kept} under deploy, or "ironlaw remove chat"`)
  })
})

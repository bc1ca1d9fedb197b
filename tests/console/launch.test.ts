// Starting runs and deployments from the studios, against a real control plane: what the page sends is what `ironlaw apply` sends.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ControlPlane } from '../control-plane.ts'
import { startPlaneWithRun } from './control-plane.ts'
import { connect, openSite, overflow, region, seriousViolations, waitUntilSettled, type Site } from './site.ts'

const CLI = join(import.meta.dirname, '../../packages/apps/cli/src/main.ts')
const SOON = { timeout: 120_000 }

let control: ControlPlane
let site: Site
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ironlaw-launch-'))
  control = await startPlaneWithRun()
  site = await openSite(control.api)
}, 300_000)
afterEach(() => site.closePages())
afterAll(async () => {
  await site?.close()
  await control?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The token is kept for the tab: it is given on one page and used on another. */
async function openConnected(hash: string): Promise<Page> {
  const page = await site.open('#/runs')
  await connect(page, control.token)
  await page.getByRole('region', { name: 'Table of runs' }).waitFor()
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await waitUntilSettled(page)
  return page
}

/** What the command line would send of the same spec. */
function dryRun(file: string, text: string): { readonly creates: Record<string, unknown> } {
  const path = join(folder, file)
  writeFileSync(path, text)
  const env = { ...process.env, IRONLAW_API: control.api, IRONLAW_TOKEN: control.token }
  return JSON.parse(execFileSync(process.execPath, [CLI, 'apply', path, '--dry-run', '--json'], { env, encoding: 'utf8' }))
}

const captureRequest = async (page: Page, path: string, act: () => Promise<void>): Promise<unknown> => {
  const [request] = await Promise.all([page.waitForRequest((each) => each.url().endsWith(path) && each.method() === 'POST'), act()])
  return request.postDataJSON()
}

describe('a run from a plan', { timeout: 300_000 }, () => {
  test.each([
    ['the best plan', '#/train?devices=64&batch=256&model=meta-llama%2FLlama-3.1-8B', 'sdk'],
    ['another of the table', '#/train?devices=64&batch=256&rank=2&precision=fsdp-mixed&model=meta-llama%2FLlama-3.1-8B', 'sdk'],
  ])('%s is started as "ironlaw apply" starts it', async (_, hash) => {
    const page = await openConnected(hash)
    const run = region(page, 'Run it')
    await run.getByLabel('Name', { exact: true }).fill('from-the-page')
    await run.getByLabel('Directory on the nodes').fill('/shared/project')
    await run.getByLabel('Command of one process').fill("train.py --note 'two words'")
    const yaml = (await run.getByLabel('train.yaml').textContent()) ?? ''
    expect(yaml).toContain('kind: Train')
    await run.getByRole('button', { name: 'Start this run' }).press('Enter')
    const sent = await captureRequest(page, '/v1/runs', () =>
      run.getByRole('button', { name: /^Confirm: 64 × h100-sxm for/ }).press('Enter'),
    )
    expect(sent).toEqual(dryRun('train.yaml', yaml).creates)
    await expect.poll(() => run.textContent(), SOON).toMatch(/Started: from-the-page-\w+ is \w+/)
    await run.getByRole('link', { name: /^from-the-page/ }).click()
    await expect.poll(() => region(page, 'The run').innerText(), SOON).toContain('from-the-page')
  })

  test('what the framework does otherwise is refused in the words of the command line, until it is accepted', async () => {
    const page = await openConnected('#/train?devices=64&batch=256&model=meta-llama%2FLlama-3.1-8B')
    const run = region(page, 'Run it')
    await run.getByLabel('Framework of the program').selectOption('deepspeed')
    await expect.poll(() => run.getByRole('alert').textContent(), SOON).toContain('deepspeed')
    expect(await run.getByRole('button', { name: 'Start this run' }).isDisabled()).toBe(true)
    await run.getByLabel('Framework of the program').selectOption('sdk')
    await run.getByLabel('Directory on the nodes').fill('relative')
    expect(await run.getByRole('button', { name: 'Start this run' }).isDisabled()).toBe(true)
    expect(await seriousViolations(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 900 })
    await expect.poll(() => overflow(page), { timeout: 10_000 }).toBe(0)
  })

  test('without a control plane the YAML is still there', async () => {
    const page = await site.open('#/train?devices=64')
    await waitUntilSettled(page)
    expect(await region(page, 'Run it').textContent()).toContain('not connected to a control plane')
    await region(page, 'Run it').getByRole('button', { name: 'Copy the YAML' }).press('Enter')
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('kind: Train')
  })
})

/** A plan is named by its content, and Chromium and Node may round the last digit of a logarithm differently. */
const withoutPlanId = (body: unknown): unknown => JSON.parse(JSON.stringify(body).replaceAll(/serve-[0-9a-f]{12}/g, 'serve-plan'))

test('a deployment is created from a plan, and the next time what would change is shown', { timeout: 300_000 }, async () => {
  const page = await openConnected('#/serve?accelerator=h100-sxm&split=never')
  const deploy = region(page, 'Deploy it')
  await deploy.getByLabel('Name', { exact: true }).fill('page-chat')
  await deploy.getByLabel('Directory on the nodes').fill('/shared/project')
  const yaml = (await deploy.getByLabel('serve.yaml').textContent()) ?? ''
  const { creates } = dryRun('serve.yaml', yaml)
  await deploy.getByRole('button', { name: 'Check what would change' }).press('Enter')
  await deploy.getByText('There is no deployment "page-chat" yet').waitFor()
  await deploy.getByRole('button', { name: 'Create the deployment' }).press('Enter')
  const sent = await captureRequest(page, '/v1/deployments', () =>
    deploy.getByRole('button', { name: /^Confirm: \d+ × h100-sxm/ }).press('Enter'),
  )
  expect(withoutPlanId(sent)).toEqual(withoutPlanId(creates))
  await deploy.getByText('Done:').waitFor()
  await deploy.getByRole('button', { name: 'Check what would change' }).press('Enter')
  await deploy.getByText('nothing to change').waitFor()
  await deploy.getByLabel('Model name at the engine').fill('other')
  await deploy.getByRole('button', { name: 'Check what would change' }).press('Enter')
  await expect.poll(() => deploy.textContent(), SOON).toContain('revision.model')
  await deploy.getByRole('button', { name: 'Change the deployment' }).press('Enter')
  await deploy.getByRole('button', { name: 'Confirm: change page-chat' }).press('Enter')
  await deploy.getByText('Done:').waitFor()
  expect(await seriousViolations(page)).toEqual([])
})

// What the console shows to people whose roles hold in some projects: nothing of others, and no action that would be refused.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CREATED_TOKEN } from '@ironlaw/contracts/api'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ControlPlane, startControlPlane } from '../control-plane.ts'
import { sparePort } from './control-plane.ts'
import { connect, openSite, region, type Site, waitUntilSettled } from './site.ts'

const CLI = join(import.meta.dirname, '../../packages/apps/cli/src/main.ts')
const SLOW = { timeout: 240_000 }
const SOON = { timeout: 60_000 }

let plane: ControlPlane
let site: Site
beforeAll(async () => {
  plane = await startControlPlane({ nodes: 1, slots: 2, port: await sparePort() })
  site = await openSite(plane.api)
  await newRun('found', 'search')
  await newRun('hidden', 'vision')
}, 240_000)
afterEach(() => site.closePages())
afterAll(async () => {
  await site?.close()
  await plane?.close()
})

async function post(path: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${plane.token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${plane.api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.status).toBe(201)
  return answer.json()
}

const newRun = (name: string, project: string) =>
  post('/v1/runs', {
    name,
    project,
    plan: sampleTrainingPlan(),
    program: { argv: ['true'], directory: '/', environment: {} },
    // More than there are, so that it waits.
    shape: { nodes: 4, processesPerNode: 1, smaller: [] },
  })

async function newToken(role: string, projects: readonly string[]): Promise<string> {
  const { secret } = CREATED_TOKEN.parse(await post('/v1/tokens', { name: `${role}-${projects.join('-')}`, role, projects }))
  return secret
}

type Visit = {
  readonly page: Page
  readonly token: string
  /** What the control plane refused, so far. */
  readonly refused: readonly string[]
}

async function visit(hash: string, role: string, ...projects: readonly string[]): Promise<Visit> {
  const token = await newToken(role, projects)
  const page = await site.open('#/runs')
  const refused: string[] = []
  page.on('response', (answer) => {
    if (answer.status() === 401 || answer.status() === 403) refused.push(answer.url())
  })
  await connect(page, token)
  await region(page, 'Table of runs').waitFor()
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  return { page, token, refused }
}

const TRAIN = '#/train?devices=64&batch=256&model=meta-llama%2FLlama-3.1-8B'
const SERVE = '#/serve?accelerator=h100-sxm&split=never'

test('a viewer of one project sees its runs alone, and is offered nothing that is refused', SLOW, async () => {
  const { page, refused } = await visit('#/runs', 'viewer', 'search')
  await page.getByRole('link', { name: 'found' }).first().waitFor()
  expect(await page.getByText('hidden').count()).toBe(0)
  expect(await page.getByLabel('Project').count()).toBe(0)
  await page.getByRole('link', { name: 'found' }).first().click()
  await page.getByRole('region', { name: 'The run' }).waitFor()
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Fleet' }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  for (const [hash, card] of [
    [TRAIN, 'Run it'],
    [SERVE, 'Deploy it'],
  ] as const) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    await region(page, card).getByText('Your role is viewer in search').waitFor()
    await region(page, card).getByRole('button', { name: 'Copy the YAML' }).waitFor()
    expect(
      await region(page, card)
        .getByRole('button', { name: /Start|Check/ })
        .count(),
    ).toBe(0)
  }
  expect(await page.getByRole('link', { name: /^(Audit|Secrets)$/ }).count()).toBe(0)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Search/ }).fill('audit')
  await page.getByRole('dialog', { name: 'Search' }).getByRole('status').filter({ hasNotText: 'Reading' }).waitFor()
  expect(await page.getByRole('option', { name: 'page Audit' }).count()).toBe(0)
  expect(refused).toEqual([])
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('a member of two projects starts a run in one of them, and is not offered to deploy', SLOW, async () => {
  const { page, refused } = await visit(TRAIN, 'member', 'search', 'ranking')
  const card = region(page, 'Run it')
  await card.getByRole('button', { name: 'Start this run' }).waitFor()
  expect(await card.getByLabel('Project').getByRole('option').allTextContents()).toEqual(['search', 'ranking'])
  await card.getByLabel('Project').selectOption('ranking')
  await waitUntilSettled(page)
  await card.getByRole('button', { name: 'Start this run' }).press('Enter')
  await card.getByRole('button', { name: /^Confirm: 64/ }).press('Enter')
  await card.getByText('Started:').waitFor()
  await page.evaluate(`location.hash = ${JSON.stringify(SERVE)}`)
  await region(page, 'Deploy it').getByText('takes the role operator').waitFor()
  expect(refused).toEqual([])
})

test('an operator of one project deploys in it, from the page and with the command line', SLOW, async () => {
  const { page, token, refused } = await visit(SERVE, 'operator', 'search')
  const card = region(page, 'Deploy it')
  await card.getByRole('button', { name: 'Check what would change' }).waitFor()
  await card.getByLabel('Name', { exact: true }).fill('found-chat')
  await card.getByRole('button', { name: 'Check what would change' }).press('Enter')
  await card.getByRole('button', { name: 'Create the deployment' }).press('Enter')
  await card.getByRole('button', { name: /^Confirm: \d+ × h100-sxm/ }).press('Enter')
  await card.getByText('Done:').waitFor()
  await card.getByLabel('Name', { exact: true }).fill('found-draft')
  const yaml = (await card.getByLabel('serve.yaml').textContent()) ?? ''
  expect(yaml).toContain('project: search')
  const folder = mkdtempSync(join(tmpdir(), 'ironlaw-scoped-'))
  writeFileSync(join(folder, 'serve.yaml'), yaml)
  const env = { ...process.env, IRONLAW_API: plane.api, IRONLAW_TOKEN: token }
  const applied = execFileSync(process.execPath, [CLI, 'apply', join(folder, 'serve.yaml'), '--yes', '--json'], { env, encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect(JSON.parse(applied)).toMatchObject({ name: 'found-draft', project: 'search' })
  expect(refused).toEqual([])
})

test('an administrator of one project reads its audit trail, and is not offered what verifies all of it', SLOW, async () => {
  const { page, refused } = await visit('#/runs', 'admin', 'search')
  await page.getByRole('link', { name: 'Audit' }).click()
  await region(page, 'Table of access records').getByText('createRun').first().waitFor()
  expect(await region(page, 'Table of access records').getByText('vision').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Verify' }).count()).toBe(0)
  expect(refused).toEqual([])
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('who sees two projects chooses one, and the way to a run and back keeps it', SLOW, async () => {
  await newRun('ranked', 'ranking')
  const { page, refused } = await visit('#/runs', 'viewer', 'search', 'ranking')
  const table = region(page, 'Table of runs')
  await table.getByRole('link', { name: 'ranked', exact: true }).waitFor()
  expect(await table.innerText()).toContain('search')
  await page.getByLabel('Project').selectOption('ranking')
  await expect.poll(() => table.innerText(), SOON).not.toContain('search')
  expect(page.url()).toMatch(/#\/runs\?project=ranking$/)
  await table.getByRole('link', { name: 'ranked', exact: true }).click()
  await region(page, 'The run').getByText('ranking').waitFor()
  await page.getByRole('link', { name: 'All runs' }).click()
  await table.waitFor()
  expect(page.url()).toMatch(/#\/runs\?project=ranking$/)
  await page.getByRole('link', { name: 'Deployments', exact: true }).click()
  await page.getByText('No deployments in ranking').waitFor()
  await page.getByLabel('Project').selectOption('')
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await table.getByRole('link', { name: 'found', exact: true }).waitFor()
  expect(refused).toEqual([])
})

test('an operator sets, replaces and deletes a secret by keyboard, and no answer has its value', SLOW, async () => {
  const { page, refused } = await visit('#/secrets', 'operator', 'search', 'ranking')
  const answers: string[] = []
  page.on('response', async (answer) => void answers.push(await answer.text().catch(() => '')))
  await page.getByText('ironlaw secret set hf-token --project ranking').waitFor()
  await page.getByLabel('Project').last().selectOption('search')
  await page.getByLabel('Name', { exact: true }).fill('hf-token')
  const value = page.getByLabel('Value')
  expect(await value.getAttribute('type')).toBe('password')
  await value.fill('first-value')
  await value.press('Enter')
  const row = region(page, 'Table of secrets').getByRole('row').filter({ hasText: 'hf-token' })
  await row.waitFor()
  expect(await row.innerText()).toContain('search')
  expect(await value.inputValue()).toBe('')
  await row.getByRole('button', { name: 'Replace' }).press('Enter')
  expect(await page.evaluate('document.activeElement.type')).toBe('password')
  await page.keyboard.type('second-value')
  await page.keyboard.press('Enter')
  await page.getByText('Set hf-token of search, version 2.').waitFor()
  await expect.poll(() => row.innerText(), SOON).toContain('2')
  await row.getByRole('button', { name: 'Delete' }).press('Enter')
  await row.getByRole('button', { name: 'Confirm: delete hf-token' }).press('Enter')
  await page.getByText('Deleted hf-token of search.').waitFor()
  await page.getByText('No secrets yet').waitFor()
  expect(answers.filter((text) => /first-value|second-value/.test(text))).toEqual([])
  expect(await page.content()).not.toContain('second-value')
  expect(refused).toEqual([])
})

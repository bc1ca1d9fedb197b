// Every page of the console in each state that looks different, by what it needs behind it: for the pictures, and for what must hold on all.

import type { Page } from 'playwright-core'
import { type ControlPlane, startControlPlane } from '../control-plane.ts'
import { sparePort, startPlaneWithRun } from './control-plane.ts'
import { startPlaneWithDatasets } from './dataset-plane.ts'
import { startPlaneWithModels } from './registry-plane.ts'
import { type PlaneOptions, startSimulatedPlane } from './simulated-plane.ts'
import { connect, type PageOptions, openSite, region, waitUntilSettled, waitUntilTrue, type Site } from './site.ts'

type Place = {
  readonly name: string
  readonly hash: string
  /** Goes on to what cannot be addressed, and waits for what comes late; otherwise all cards are waited for. */
  readonly ready?: (page: Page) => Promise<void>
}

export type Part = {
  readonly title: string
  readonly start?: () => Promise<ControlPlane>
  readonly isLoggedOut?: boolean
  readonly places: readonly Place[]
}

/** As long as a code is, and never issued. */
const UNKNOWN_CODE = 'x'.repeat(43)

/** What an opened spec may say beside the controls. */
const REST = encodeURIComponent('{"strategy.tensor":2,"price":"$2/h","runtime":null}')

const STUDIOS: readonly Place[] = [
  { name: 'train', hash: '#/train' },
  { name: 'train-derivation', hash: '#/train?why=cost' },
  { name: 'train-export', hash: '#/train?why=step&export=slurm' },
  { name: 'train-near-miss', hash: '#/train?batch=977' },
  { name: 'train-does-not-fit', hash: '#/train?model=meta-llama%2FLlama-3.1-405B&devices=8' },
  { name: 'train-failures', hash: '#/train?why=checkpoint%20interval' },
  { name: 'train-adapters', hash: `#/train?model=meta-llama%2FLlama-3.1-8B&devices=8&precision=qlora&documents=512&rest=${REST}` },
  { name: 'rl', hash: '#/rl' },
  { name: 'data', hash: '#/data' },
  { name: 'data-too-dear', hash: '#/data?proxy=1000000000&proxyEpochs=5&why=score%20the%20pool' },
  { name: 'rl-does-not-fit', hash: '#/rl?model=meta-llama%2FLlama-3.1-405B&devices=8' },
  { name: 'serve', hash: '#/serve' },
  { name: 'serve-mechanisms', hash: '#/serve?accelerator=h100-sxm&cached=50&speculation=eagle3&adapters=16&offloadHost=64' },
  { name: 'serve-derivation', hash: '#/serve?why=first%20token' },
  { name: 'serve-export', hash: '#/serve?accelerator=h100-sxm&export=vllm' },
  { name: 'serve-impossible', hash: '#/serve?accelerator=h100-sxm&tpot_ms=1', ready: card('The plan') },
  { name: 'laws', hash: '#/laws' },
  { name: 'laws-search', hash: '#/laws?search=ridge' },
  { name: 'catalog', hash: '#/catalog' },
  { name: 'catalog-compared', hash: '#/catalog?against=b200' },
  { name: 'catalog-models', hash: '#/catalog?kind=models' },
  { name: 'not-found', hash: '#/nowhere', ready: heading('Page not found') },
]

const LOGIN: readonly Place[] = [
  { name: 'login', hash: '#/runs', ready: heading('Runs') },
  { name: 'login-refused', hash: `#code=${UNKNOWN_CODE}`, ready: (page) => page.getByRole('alert').waitFor() },
]

const EMPTY: readonly Place[] = [
  { name: 'empty-runs', hash: '#/runs', ready: quiet },
  { name: 'empty-deployments', hash: '#/deployments', ready: quiet },
  { name: 'empty-fleet', hash: '#/fleet' },
  { name: 'empty-artifacts', hash: '#/artifacts', ready: quiet },
  { name: 'empty-registry', hash: '#/registry', ready: quiet },
  { name: 'empty-secrets', hash: '#/secrets', ready: quiet },
  {
    name: 'secrets',
    hash: '#/secrets',
    ready: async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('hf-token')
      await page.getByLabel('Value').fill('hf_example-value')
      await page.getByLabel('Value').press('Enter')
      await page.getByText('Set hf-token of default').waitFor()
      await card('1 secret')(page)
    },
  },
  {
    name: 'audit',
    hash: '#/audit',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByText('nothing was altered or removed').waitFor()
    },
  },
  { name: 'empty-compare', hash: '#/compare', ready: quiet },
]

const RUN: readonly Place[] = [
  {
    name: 'run',
    hash: '#/runs',
    ready: async (page) => {
      await page.getByRole('link', { name: 'tiny' }).click()
      await page.getByText('completed').first().waitFor()
      await page.getByLabel('Log of rank 0').waitFor()
      await waitUntilSettled(page)
    },
  },
]

const OPERATION: readonly Place[] = [
  { name: 'runs', hash: '#/runs' },
  {
    name: 'run-simulated',
    hash: '#/runs',
    ready: async (page) => {
      await page.getByRole('link', { name: 'llama-8b' }).click()
      await card('Plan, command and environment')(page)
      await waitUntilSettled(page)
    },
  },
  { name: 'deployments', hash: '#/deployments' },
  { name: 'deployment', hash: '#/deployments?deployment=chat' },
  { name: 'deployment-scaled', hash: '#/deployments?deployment=rerank' },
  { name: 'deployment-starting', hash: '#/deployments?deployment=draw' },
  { name: 'fleet', hash: '#/fleet?node=gpu-0007' },
  { name: 'compare-runs', hash: '#/compare', ready: card('What was different') },
  { name: 'compare-plans', hash: '#/compare?kind=plans', ready: card('Decisions') },
  { name: 'compare-revisions', hash: '#/compare?kind=revisions&deployment=chat&left=1&right=2', ready: card('How they answer') },
  {
    name: 'notifications',
    hash: '#/deployments',
    ready: async (page) => {
      await waitUntilSettled(page)
      await page.getByRole('button', { name: /^Notifications, \d+ new/ }).click()
    },
  },
  {
    name: 'search',
    hash: '#/deployments',
    ready: async (page) => {
      await waitUntilSettled(page)
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Search/ }).fill('rerank')
      await page.getByRole('option', { name: /deployment rerank/ }).waitFor()
    },
  },
]

const corpusView = (view: string): ((page: Page) => Promise<void>) => {
  return async (page) => {
    await page.getByRole('link', { name: 'corpus', exact: true }).click()
    await page.getByRole('radio', { name: view }).check()
    await waitUntilSettled(page)
  }
}

const DATASETS: readonly Place[] = [
  { name: 'artifacts', hash: '#/artifacts' },
  { name: 'dataset', hash: '#/artifacts', ready: corpusView('overview') },
  { name: 'dataset-steps', hash: '#/artifacts', ready: corpusView('steps') },
  { name: 'dataset-distributions', hash: '#/artifacts', ready: corpusView('distributions') },
  {
    name: 'dataset-document',
    hash: '#/artifacts',
    ready: async (page) => {
      await page.getByRole('link', { name: 'corpus', exact: true }).click()
      await page.getByRole('radio', { name: 'document' }).check()
      await page.getByLabel('Document', { exact: true }).fill('5')
      await region(page, 'Table of runs that saw it').waitFor()
    },
  },
  { name: 'dataset-versions', hash: '#/artifacts', ready: corpusView('versions') },
  {
    name: 'dataset-mixture',
    hash: '#/artifacts',
    ready: async (page) => {
      await page.getByRole('link', { name: 'order', exact: true }).click()
      await page.getByRole('radio', { name: 'mixture' }).check()
      await card('Phases')(page)
    },
  },
]

const versionView = (version: string, view?: string): ((page: Page) => Promise<void>) => {
  return async (page) => {
    await page.getByRole('link', { name: version, exact: true }).click()
    await card('Decisions')(page)
    if (view !== undefined) await page.getByRole('radio', { name: view }).check()
    await waitUntilSettled(page)
  }
}

const REGISTRY: readonly Place[] = [
  { name: 'registry', hash: '#/registry' },
  { name: 'registry-nothing', hash: '#/registry?name=nothing', ready: quiet },
  { name: 'version', hash: '#/registry', ready: versionView('chat@1') },
  { name: 'version-evaluations', hash: '#/registry', ready: versionView('chat@2', 'evaluations') },
  { name: 'compare-evaluations', hash: '#/compare?kind=evaluations', ready: card('Items') },
  { name: 'version-bare', hash: '#/registry', ready: versionView('a-model-of-unknown-origin-with-a-name-as-long-as-names-may-be-h@1') },
]

export const partsOf = (fleet: PlaneOptions): readonly Part[] => [
  { title: 'without a control plane', places: STUDIOS },
  { title: 'logged out', places: LOGIN, start: emptyPlane, isLoggedOut: true },
  { title: 'with nothing in it', places: EMPTY, start: emptyPlane },
  { title: 'with a run', places: RUN, start: startPlaneWithRun },
  { title: 'with datasets', places: DATASETS, start: startPlaneWithDatasets },
  { title: 'with models', places: REGISTRY, start: startPlaneWithModels },
  { title: 'with a fleet', places: OPERATION, start: () => startSimulatedPlane(fleet) },
]

export type OpenedPart = {
  readonly site: Site
  readonly open: (place: Place, look?: PageOptions) => Promise<Page>
  readonly close: () => Promise<void>
}

export async function openPart({ start, isLoggedOut = false }: Part): Promise<OpenedPart> {
  const plane = await start?.()
  const site = await openSite(plane?.api)
  return {
    site,
    open: async ({ hash, ready = waitUntilSettled }, look) => {
      const page = await site.open(hash, look)
      if (plane && !isLoggedOut) await connect(page, plane.token)
      await ready(page)
      return page
    },
    close: async () => {
      await site.close()
      await plane?.close()
    },
  }
}

const emptyPlane = async (): Promise<ControlPlane> => startControlPlane({ nodes: 1, slots: 2, port: await sparePort() })

function heading(name: string): (page: Page) => Promise<void> {
  return (page) => page.getByRole('heading', { level: 1, name }).waitFor()
}

function card(name: string): (page: Page) => Promise<void> {
  return (page) => region(page, name).waitFor()
}

/** What is empty has no card; it has read that there is nothing. */
async function quiet(page: Page): Promise<void> {
  await page.locator('.page-head').waitFor()
  await waitUntilTrue(page, '!/Reading|Loading/.test(document.querySelector("main").textContent)')
}

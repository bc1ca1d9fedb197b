// The API of a control plane as an administrator uses it, for tests.

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { DeploymentView, NewRevision, RolloutOrder } from '@ironlaw/contracts/deployment-api'
import type { EventView } from '@ironlaw/contracts/api'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export class PlaneApi {
  readonly #contextFile: string

  constructor(contextFile: string) {
    this.#contextFile = contextFile
  }

  get context(): { readonly api: string; readonly token: string } {
    return JSON.parse(readFileSync(this.#contextFile, 'utf8'))
  }

  async ask<T>(path: string, method: Method = 'GET', body?: object): Promise<T> {
    const { api, token } = this.context
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const sent = body ? { body: JSON.stringify(body) } : {}
    const answer = await fetch(`${api}${path}`, { method, headers, ...sent, signal: AbortSignal.timeout(10_000) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<T>
  }

  deployment = (name: string): Promise<DeploymentView> => this.ask(`/v1/deployments/${name}`)
  revise = (name: string, revision: NewRevision): Promise<DeploymentView> => this.ask(`/v1/deployments/${name}/revisions`, 'POST', revision)
  order = (name: string, what: RolloutOrder): Promise<DeploymentView> => this.ask(`/v1/deployments/${name}/rollout`, 'POST', { do: what })
  events = async (name: string): Promise<readonly EventView[]> =>
    (await this.ask<{ items: EventView[] }>(`/v1/deployments/${name}/events?limit=1000`)).items

  async until(name: string, holds: (deployment: DeploymentView) => boolean, within_s = 120): Promise<DeploymentView> {
    for (const deadline = Date.now() + 1000 * within_s; ; await pause(100)) {
      const deployment = await this.deployment(name).catch(() => undefined)
      if (deployment && holds(deployment)) return deployment
      if (Date.now() > deadline) throw new Error(`waited ${within_s} s in vain: ${JSON.stringify(deployment)}`)
    }
  }
}

// What the person of this page may do, and in which projects: what they may not do is not offered.

import { hasRole, isAllowed, type Principal, projectsOf } from '@ironlaw/contracts'
import type { OPERATIONS } from '@ironlaw/contracts/operations'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { call, onTokenChange, readToken } from '../runs/api.ts'
import { usePageLocation } from '../use-address.ts'

/** Of the operations that are not for everyone, those that a page calls or offers. */
export type RestrictedOperation =
  | 'audit'
  | 'cancelRun'
  | 'createDeployment'
  | 'createRun'
  | 'decideModel'
  | 'drainNode'
  | 'getGatewayConfig'
  | 'listAccess'
  | 'listGateways'
  | 'listSecrets'
  | 'orderRollout'

/** As the operations declare it, which the type checks: the declarations themselves would load every schema with the first page. */
export const NEEDS: { readonly [Name in RestrictedOperation]: (typeof OPERATIONS)[Name]['need'] } = {
  audit: { role: 'admin', scope: 'site' },
  cancelRun: { role: 'member', scope: 'project' },
  createDeployment: { role: 'operator', scope: 'project' },
  createRun: { role: 'member', scope: 'project' },
  decideModel: { role: 'operator', scope: 'project' },
  drainNode: { role: 'operator', scope: 'site' },
  getGatewayConfig: { role: 'admin', scope: 'site' },
  listAccess: { role: 'admin', scope: 'project' },
  listGateways: { role: 'viewer', scope: 'site' },
  listSecrets: { role: 'operator', scope: 'project' },
  orderRollout: { role: 'operator', scope: 'project' },
}

/** Whoever has a token that opens nothing, or cannot be told because the control plane does not answer. */
export const NOBODY: Principal = { kind: 'person', id: '', name: '', grants: [] }

/** A change of the teams acts on those who are signed in, too. */
const FRESH_MS = 60_000

let known: { readonly token: string; readonly at_ms: number; readonly person: Promise<Principal> } | undefined

/** Asked once a minute for a token. */
function fetchPerson(): Promise<Principal> {
  const token = readToken()
  if (known?.token === token && Date.now() - known.at_ms < FRESH_MS) return known.person
  const person = call('getPrincipal', {}).then((answer): Principal => {
    if (answer.ok) return { kind: 'person', ...answer.value }
    known = undefined
    return NOBODY
  })
  known = { token, at_ms: Date.now(), person }
  return person
}

/** In some project, if the operation is about one. */
export const canCall = async (operation: RestrictedOperation): Promise<boolean> => isAllowed(await fetchPerson(), NEEDS[operation])

/** Undefined until it is known, and without a token. */
export function usePerson(): Principal | undefined {
  const token = useSyncExternalStore(onTokenChange, readToken)
  const { page } = usePageLocation()
  const [found, setFound] = useState<{ readonly token: string; readonly person: Principal }>()
  useEffect(() => {
    if (token === '') return undefined
    let isGone = false
    const read = async (): Promise<void> => {
      const person = await fetchPerson()
      if (!isGone) setFound({ token, person })
    }
    void read()
    return () => {
      isGone = true
    }
  }, [token, page])
  return found?.token === token ? found.person : undefined
}

/** In this project, or in some project when it is absent; false until it is known. */
export function useAllowed(operation: RestrictedOperation, project?: string): boolean {
  const person = usePerson()
  const need = NEEDS[operation]
  if (!person) return false
  return project === undefined || need.scope === 'site' ? isAllowed(person, need) : hasRole(person, need.role, project)
}

/** Where the person may call an operation on something of a project. */
export const projectsFor = (person: Principal, operation: RestrictedOperation): ReturnType<typeof projectsOf> =>
  projectsOf(person, NEEDS[operation].role)

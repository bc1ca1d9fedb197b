// Whether the person of this page may start what they planned, and in which projects.

import { EVERY_PROJECT, grantsText } from '@ironlaw/contracts'
import { useSyncExternalStore } from 'react'
import { onTokenChange, readToken } from '../runs/api.ts'
import { NEEDS, NOBODY, projectsFor, usePerson } from '../shell/use-grants.ts'

export type LaunchOffer =
  /** Until the control plane has told. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'disconnected' }
  | { readonly kind: 'forbidden'; readonly has: string; readonly needs: string }
  | { readonly kind: 'offered'; readonly projects: typeof EVERY_PROJECT | readonly string[] }

export function useLaunchOffer(operation: 'createRun' | 'createDeployment'): LaunchOffer {
  const token = useSyncExternalStore(onTokenChange, readToken)
  const person = usePerson()
  if (token === '' || person === NOBODY) return { kind: 'disconnected' }
  if (!person) return { kind: 'unknown' }
  const projects = projectsFor(person, operation)
  return projects.length === 0
    ? { kind: 'forbidden', has: grantsText(person.kind === 'person' ? person.grants : []), needs: NEEDS[operation].role }
    : { kind: 'offered', projects }
}

const DEFAULT_PROJECT = 'default'

/** What the form begins with. */
export function firstProject(offer: LaunchOffer): string {
  if (offer.kind !== 'offered' || offer.projects === EVERY_PROJECT || offer.projects.includes(DEFAULT_PROJECT)) return DEFAULT_PROJECT
  return offer.projects[0] ?? DEFAULT_PROJECT
}

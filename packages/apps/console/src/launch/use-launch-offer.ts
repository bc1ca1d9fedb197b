// Whether the person of this page may start what they planned, and in which projects.

import { EVERY_PROJECT, grantsText, projectsOf } from '@ironlaw/contracts'
import { useSyncExternalStore } from 'react'
import { onTokenChange, readToken } from '../runs/api.ts'
import { NEEDS, NOBODY, projectsFor, usePerson } from '../shell/use-grants.ts'

type Projects = typeof EVERY_PROJECT | readonly string[]

export type LaunchOffer =
  /** Until the control plane has told. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'disconnected' }
  /** With the projects that the person sees: someone else may start it there. */
  | { readonly kind: 'forbidden'; readonly has: string; readonly needs: string; readonly projects: Projects }
  | { readonly kind: 'offered'; readonly projects: Projects }

export function useLaunchOffer(operation: 'createRun' | 'createDeployment'): LaunchOffer {
  const token = useSyncExternalStore(onTokenChange, readToken)
  const person = usePerson()
  if (token === '' || person === NOBODY) return { kind: 'disconnected' }
  if (!person) return { kind: 'unknown' }
  const projects = projectsFor(person, operation)
  return projects.length === 0
    ? {
        kind: 'forbidden',
        has: grantsText(person.kind === 'person' ? person.grants : []),
        needs: NEEDS[operation].role,
        projects: projectsOf(person, 'viewer'),
      }
    : { kind: 'offered', projects }
}

/** Those that the spec may name; any without a control plane that could tell. */
export const launchProjects = (offer: LaunchOffer): Projects => ('projects' in offer ? offer.projects : EVERY_PROJECT)

const DEFAULT_PROJECT = 'default'

/** What the form begins with: the project that the pages are filtered by, if it may be named. */
export function firstProject(projects: Projects, chosen: string): string {
  if (projects === EVERY_PROJECT) return chosen || DEFAULT_PROJECT
  return [chosen, DEFAULT_PROJECT].find((each) => projects.includes(each)) ?? projects[0] ?? DEFAULT_PROJECT
}

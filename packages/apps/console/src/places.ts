// Links to the pages of the console that can be opened in another tab, copied and shared.

import { parseHash } from './address.ts'

export const runHref = (id: string): string => `#/runs?run=${encodeURIComponent(id)}`
export const deploymentHref = (name: string): string => `#/deployments?deployment=${encodeURIComponent(name)}`
export const artifactHref = (project: string, id: string): string =>
  `#/artifacts?${new URLSearchParams({ artifact: id, of: project }).toString()}`
export const registryHref = (fields: Readonly<Record<string, string>> = {}): string =>
  Object.keys(fields).length === 0 ? '#/registry' : `#/registry?${new URLSearchParams(fields).toString()}`
export const versionHref = (project: string, version: string, fields: Readonly<Record<string, string>> = {}): string =>
  registryHref({ version, of: project, ...fields })
export const nodeHref = (name: string): string => `#/fleet?node=${encodeURIComponent(name)}`
export const compareHref = (kind: 'runs' | 'plans' | 'evaluations', left: string, right = ''): string =>
  `#/compare?${new URLSearchParams({ kind, left, ...(right !== '' && { right }) }).toString()}`

/** The same place with the project that the pages are filtered by, so that the way there and back keeps it. */
export function keepProject(href: string): string {
  const project = parseHash(location.hash).parameters.get('project')
  return project === null ? href : `${href}${href.includes('?') ? '&' : '?'}${new URLSearchParams({ project }).toString()}`
}

/** A click anywhere in a row follows its link, unless it hits another control. */
export const followRow =
  (href: string) =>
  ({ target }: { readonly target: EventTarget }): void => {
    if (target instanceof Element && target.closest('a, button, input, label') === null) location.hash = href
  }

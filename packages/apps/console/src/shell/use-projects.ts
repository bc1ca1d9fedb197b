// The projects that a person may choose between, and the one that the pages are filtered by: `project` in the address, which links keep.

import { EVERY_PROJECT, projectsOf, type ProjectRole } from '@ironlaw/contracts'
import { useEffect, useState } from 'react'
import { changedAddress, text } from '../address.ts'
import { call, itemsOf, readToken } from '../runs/api.ts'
import { usePageLocation } from '../use-address.ts'
import { usePerson } from './use-grants.ts'

/** Empty for all projects. */
export const useProject = (): string => usePageLocation().parameters.get('project') ?? ''

const FIELDS = { project: text('') }

export function chooseProject(project: string): void {
  location.hash = changedAddress(location.hash, FIELDS, { project })
}

let known: { readonly token: string; readonly projects: readonly string[] } | undefined

/** For who has a role everywhere: projects of teams, and those of what there is. */
async function fetchAllProjects(): Promise<readonly string[]> {
  const [teams, runs = [], deployments = []] = await Promise.all([
    call('getTeams', {}),
    call('listRuns', { query: { limit: 100 } }).then(itemsOf),
    call('listDeployments', {}).then(itemsOf),
  ])
  // Without teams, what names no project belongs to this one.
  const owned = teams.ok ? teams.value.value.teams.flatMap(({ projects }) => projects) : ['default']
  const projects = [...new Set([...owned, ...[...runs, ...deployments].map(({ project }) => project)])].toSorted()
  known = { token: readToken(), projects }
  return projects
}

/** Those in which the person has the role, in order; undefined until they are known. */
export function useProjects(role: ProjectRole = 'viewer'): readonly string[] | undefined {
  const person = usePerson()
  const granted = person && projectsOf(person, role)
  const isEverywhere = granted === EVERY_PROJECT
  const [all, setAll] = useState(() => (known?.token === readToken() ? known.projects : undefined))
  useEffect(() => {
    if (!isEverywhere) return undefined
    let isGone = false
    const read = async (): Promise<void> => {
      const projects = await fetchAllProjects()
      if (!isGone) setAll(projects)
    }
    void read()
    return () => {
      isGone = true
    }
  }, [isEverywhere])
  return granted === EVERY_PROJECT ? all : granted?.toSorted()
}

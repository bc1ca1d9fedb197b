// What the person of this page may do, and in which projects: what they may not do is not offered.

import { EVERY_PROJECT, hasRole, type Principal, type ProjectRole } from '@ironlaw/contracts'
import { useEffect, useState } from 'react'
import { call, readToken } from '../runs/api.ts'

let known: { readonly token: string; readonly person: Promise<Principal | undefined> } | undefined

/** Asked once for a token; undefined where it opens nothing. */
function fetchPerson(): Promise<Principal | undefined> {
  const token = readToken()
  if (known?.token === token) return known.person
  const person = call('getPrincipal', {}).then((answer): Principal | undefined => {
    if (answer.ok) return { kind: 'person', ...answer.value }
    known = undefined
    return undefined
  })
  known = { token, person }
  return person
}

export async function isAllowedEverywhere(role: ProjectRole): Promise<boolean> {
  const person = await fetchPerson()
  return person !== undefined && hasRole(person, role, EVERY_PROJECT)
}

/** In a project, or everywhere for `*`; false until it is known. */
export function useRole(role: ProjectRole, project: string): boolean {
  const [isAllowed, setAllowed] = useState(false)
  useEffect(() => {
    let isGone = false
    const read = async (): Promise<void> => {
      const person = await fetchPerson()
      if (!isGone) setAllowed(person !== undefined && hasRole(person, role, project))
    }
    void read()
    return () => {
      isGone = true
    }
  }, [role, project])
  return isAllowed
}

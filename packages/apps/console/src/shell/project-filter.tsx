// Narrows a page to one project. Who sees one project only has nothing to choose.

import type { ReactNode } from 'react'
import { Select } from '../ui/fields.tsx'
import { chooseProject, useProject } from './use-projects.ts'

export function ProjectFilter({ projects }: { readonly projects: readonly string[] | undefined }): ReactNode {
  const project = useProject()
  // A link may name a project that the reader has no role in.
  if ((projects?.length ?? 0) < 2 && project === '') return null
  const options = [{ id: '', name: 'all projects' }, ...(projects ?? []).map((id) => ({ id, name: id }))]
  return <Select label="Project" value={project} options={options} onChange={chooseProject} />
}

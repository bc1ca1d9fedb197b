import { EVERY_PROJECT } from '@ironlaw/contracts'
import type { ReactNode } from 'react'
import { Select } from './fields.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'

export type ProjectFieldProps = Pick<TextFieldProps, 'value' | 'problem' | 'onChange'> & {
  /** Those that may be named. */
  readonly projects: typeof EVERY_PROJECT | readonly string[]
}

/** A list, or any name for who has a role everywhere: a project exists once something belongs to it. */
export const ProjectField = ({ projects, value, problem = '', onChange }: ProjectFieldProps): ReactNode =>
  projects === EVERY_PROJECT ? (
    <TextField label="Project" value={value} problem={problem} onChange={onChange} />
  ) : (
    <Select label="Project" value={value} options={projects.map((id) => ({ id, name: id }))} onChange={onChange} />
  )

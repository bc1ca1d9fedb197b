// Validates a form before anything is sent, in the words of the API.

type Common = { readonly name: string; readonly program: string; readonly directory: string; readonly project: string }

const ID = /^[a-z0-9][a-z0-9-]{0,39}$/

export type FormProblems = Readonly<Record<keyof Common, string>>

export const formProblems = ({ name, program, directory, project }: Common): FormProblems => ({
  name: ID.test(name) ? '' : 'Lower-case letters, digits and hyphens, at most 40',
  program: program.trim() === '' ? 'The command that starts one process' : '',
  directory: directory.startsWith('/') ? '' : 'An absolute path on the nodes, such as /shared/project',
  project: ID.test(project) ? '' : 'Lower-case letters, digits and hyphens, at most 40',
})

export const isComplete = (problems: FormProblems): boolean => Object.values(problems).every((problem) => problem === '')

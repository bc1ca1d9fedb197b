// `ironlaw secret`: the secrets of a project, by name.

import { text } from 'node:stream/consumers'
import { IronlawError } from '@ironlaw/contracts'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { readText } from '../input-file.ts'
import { showDuration } from '../run/run-text.ts'
import { table } from '../table.ts'

type SetFlags = { readonly project: string; readonly fromFile?: string }

export async function setSecret(name: string, { project, fromFile }: SetFlags): Promise<CommandAnswer> {
  const value = fromFile === undefined ? await readStandardInput() : readText(fromFile)
  if (value === '')
    throw new IronlawError(
      'IL_USAGE',
      { problem: `the value of ${name} is empty`, command: 'secret set' },
      { next: `give it on standard input ("ironlaw secret set ${name} < FILE"), or with --from-file` },
    )
  const made = await api(context()).setSecret({ project, name, body: { value } })
  return { json: made, text: () => `${name} of project ${project} is set, version ${made.version}` }
}

/** A terminal shows what is typed, so it is not read from there. */
async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY)
    throw new IronlawError(
      'IL_USAGE',
      { problem: 'the value is not read from a terminal, which would show it', command: 'secret set' },
      { next: 'redirect a file ("< FILE"), pipe it from where it is kept, or use --from-file' },
    )
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}

export async function listSecrets(project: string): Promise<CommandAnswer> {
  const { items } = await api(context()).listSecrets({ project })
  const now = Date.now() / 1000
  const rows = items.map(({ name, version, created_at, created_by }) => [name, String(version), showDuration(now - created_at), created_by])
  return {
    json: { items },
    text: () => (items.length === 0 ? `project ${project} has no secrets` : table(['SECRET', 'VERSION', 'AGE', 'SET BY'], rows, [1, 2])),
  }
}

export async function deleteSecret(name: string, project: string): Promise<CommandAnswer> {
  await api(context()).deleteSecret({ project, name })
  return { json: { project, name }, text: () => `${name} of project ${project} is deleted` }
}

export async function rotateKey(rotation: { readonly rewrap_only: boolean; readonly forget_old: boolean }): Promise<CommandAnswer> {
  const made = await api(context()).rotateSecretsKey({ body: rotation })
  const others = made.keys === 1 ? '' : `; older keys in the file: ${made.keys - 1}`
  return { json: made, text: () => `key ${made.key} seals now, versions of secrets that it wraps: ${made.rewrapped}${others}` }
}

// What a run was made of, in a few lines.

import type { RunCode, RunEnvironment, RunOrigin } from '@ironlaw/contracts/run-origin'
import { counted } from '@ironlaw/units'

export const originLines = ({ code, environment, data }: RunOrigin): readonly string[] => [
  `code ${code ? codeText(code) : 'unknown: its program lay in no git repository'}`,
  ...(data.uses.length === 0 ? [] : [`data ${data.uses.map(({ name }) => name).join(', ')}`]),
  ...(environment ? [`environment ${environmentText(environment)}`] : []),
]

function codeText({ commit, path, changes }: RunCode): string {
  const dirty = changes ? `, ${counted(changes.count, 'file')} with uncommitted changes` : ''
  return `${commit.slice(0, 10)}${path === '' ? '' : ` ${path}`}${dirty}`
}

function environmentText({ image, python, torch, packages, kernel, driver, others }: RunEnvironment): string {
  const parts = [
    image,
    python,
    torch === undefined ? undefined : `PyTorch ${torch}`,
    packages === undefined ? undefined : counted(Object.keys(packages).length, 'package'),
    kernel,
    driver === undefined ? undefined : `driver ${driver}`,
    others.length === 0
      ? undefined
      : `others on ${counted(others.length, 'node')} or attempts: ${[...new Set(others.flatMap(({ fields }) => fields))].join(', ')}`,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

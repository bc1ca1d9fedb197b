// The script in a real shell, with a stand-in for the command that prints names.

import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { program } from '../program.ts'
import { completionScript } from './completion.ts'

const SCRIPT = completionScript('bash', program())

/** What is offered for the last word. */
function completionsFor(...words: readonly string[]): readonly string[] {
  const typed = `COMP_WORDS=(ironlaw ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _ironlaw`
  const shell = `${SCRIPT}\nironlaw() { echo "named-$2 other-$2"; }\n${typed}\nprintf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['--norc', '-c', shell], { encoding: 'utf8' }).trim().split('\n')
}

test('commands, subcommands and flags', () => {
  expect(completionsFor('con')).toEqual(['context', 'console'])
  expect(completionsFor('context', 'u')).toEqual(['use'])
  expect(completionsFor('plan', '--exp')).toEqual(['--explain', '--export'])
  expect(completionsFor('rollout', 'back', '--t')).toEqual(['--to'])
  expect(completionsFor('')).not.toContain('complete')
})

test('accelerators and models', () => {
  expect(completionsFor('plan', '--on', 'h100-s')).toEqual(['h100-sxm'])
  expect(completionsFor('plan', '--model', 'Llama-3.1-405')).toEqual(['Llama-3.1-405B'])
  expect(completionsFor('catalog', 'b20')).toContain('b200')
})

test('runs, deployments and contexts, by what the command takes', () => {
  expect(completionsFor('describe', 'named')).toEqual(['named-subjects'])
  expect(completionsFor('cancel', 'named')).toEqual(['named-runs'])
  expect(completionsFor('rollout', 'back', 'named')).toEqual(['named-deployments'])
  expect(completionsFor('get', '--context', 'named')).toEqual(['named-contexts'])
  expect(completionsFor('apply', 'train.yaml', '--from', 'other')).toEqual(['other-runs'])
})

test('files are left to the shell: where a spec stands, behind a flag that takes one, and where a number is meant', () => {
  for (const words of [
    ['plan', ''],
    ['apply', 'tr'],
    ['plan', '--with', ''],
    ['plan', 'train.yaml', '--export', 'to'],
    ['explain', 'roofline', '--context', ''],
  ])
    expect(completionsFor(...words).filter((word) => word !== '' && word !== 'diff')).toEqual([])
  expect(SCRIPT).toContain('complete -o bashdefault -o default -F _ironlaw ironlaw')
})

test('zsh takes the same script, fish one of its own', () => {
  expect(completionScript('zsh', program())).toContain('bashcompinit')
  const fish = completionScript('fish', program())
  expect(fish).toContain("-n '__fish_seen_subcommand_from describe' -a '(ironlaw complete subjects 2>/dev/null)'")
  expect(fish).toMatch(/-n '__fish_seen_subcommand_from plan' -l on -x -a '[^']*h100-sxm/)
})

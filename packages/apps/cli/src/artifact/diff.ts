// `ironlaw diff`: two artifacts, file by file, or feature by feature where they are profiles; or two runs.

import type { ArtifactDiff } from '@ironlaw/contracts/artifact-operations'
import { counted } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { api, find } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { areProfileFiles, diffProfileArtifacts, diffProfileFiles } from '../profile/diff-profiles.ts'
import { runDiffAnswer } from '../run/diff-runs.ts'
import { table } from '../table.ts'
import { shortId, sizeText } from './artifacts.ts'

type DiffRequest = { readonly before: string; readonly after: string; readonly project: string }

export async function diffAnswer({ before, after, project }: DiffRequest): Promise<CommandAnswer> {
  const names = [before, after] as const
  if (areProfileFiles(names)) return diffProfileFiles(before, after)
  if (names.every((name) => name.startsWith('run/')) || !(await areArtifacts(names, project))) {
    const runs = await runDiffAnswer(before.replace(/^run\//, ''), after.replace(/^run\//, ''))
    if (runs) return runs
  }
  const profiles = await diffProfileArtifacts(names, project)
  if (profiles) return profiles
  const diff = await api(context()).diffArtifacts({ project, artifact: before, other: after })
  return { json: diff, text: () => diffText(diff) }
}

/** What makes a dataset has its name: where names are both, artifacts are meant, and "run/NAME" says a run. */
async function areArtifacts(names: readonly string[], project: string): Promise<boolean> {
  const found = await Promise.all(names.map((artifact) => find(api(context()).getArtifact({ project, artifact }))))
  return found.every((each) => each !== undefined)
}

export function diffText({ from, to, files_same, files_changed, bytes_shared, changes, facts }: ArtifactDiff): string {
  if (from === to) return `both are ${shortId(from)}: the same content`
  const count = (value: number | undefined): string => value?.toLocaleString('en') ?? '?'
  const rows = changes.map((each) => [
    each.change,
    each.path,
    each.change === 'added' ? '' : sizeText(each.bytes_before),
    each.change === 'removed' ? '' : sizeText(each.bytes_after),
    each.change === 'changed' ? `+${count(each.leaves_added)} -${count(each.leaves_removed)}` : '',
  ])
  return [
    `${shortId(from)} -> ${shortId(to)}: ${counted(files_changed, 'file')} ${files_changed === 1 ? 'differs' : 'differ'}, ${files_same.toLocaleString('en')} the same; ${sizeText(bytes_shared)} shared`,
    ...(rows.length === 0 ? [] : ['', table(['', 'FILE', 'BEFORE', 'AFTER', 'LINES OR BLOCKS'], rows, [2, 3, 4])]),
    ...(files_changed > changes.length ? [`${(files_changed - changes.length).toLocaleString('en')} more`] : []),
    ...(facts.length === 0
      ? []
      : [
          '',
          table(
            ['FACT', 'BEFORE', 'AFTER'],
            facts.map((each) => [each.field, factText(each.before), factText(each.after)]),
          ),
        ]),
  ].join('\n')
}

const factText = (value: unknown): string => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value))

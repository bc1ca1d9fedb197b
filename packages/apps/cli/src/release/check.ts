// `ironlaw release check`: the gates of a release as a checklist with evidence, and as a record that a decision can name.

import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { RELEASE_FILE, RELEASE_RECORD, type ReleaseRecord } from '@ironlaw/contracts/release-record'
import { COMPLETE, gateName, parseReleaseSpec, type ReleaseSpec } from '@ironlaw/contracts/release-spec'
import { judgeRelease, type NamedFinding } from '@ironlaw/policies/release'
import type { CommandAnswer } from '../answer.ts'
import { writeJsonFile } from '../data/json-file.ts'
import { readDocument } from '../input-file.ts'
import { table } from '../table.ts'
import { evidencePaths, readEvidence, recordPath } from './evidence-files.ts'
import { completeFinding, findingOf, readVersion } from './gate-evidence.ts'

/** @param to directory that gets the record */
export async function releaseCheckAnswer(file: string, to?: string): Promise<CommandAnswer> {
  const record = await checkRelease(file)
  if (to !== undefined) await writeRecord(record, to)
  const stopping = record.gates.filter(({ state }) => state === 'refused' || state === 'undecided')
  return {
    json: record,
    text: () => checkText(record),
    ...(to !== undefined && { notes: [`written to ${join(to, RELEASE_FILE)}; "ironlaw artifact add ${to} --type evaluation" adds it`] }),
    ...(record.answer !== 'release' && {
      exit: 3,
      violation: {
        problem: `${record.name} is ${record.answer === 'refuse' ? 'refused' : 'undecided'}: ${stopping.map(({ gate }) => gate).join(', ')}`,
        next: stopping.map(({ gate, would_change }) => `${gate}: ${would_change}`).join('; '),
      },
    }),
  }
}

async function checkRelease(file: string): Promise<ReleaseRecord> {
  const spec = parseReleaseSpec(readDocument(file), file)
  const directory = dirname(resolve(file))
  const evidence = readVersion(spec, directory)
  const findings: NamedFinding[] = [{ gate: COMPLETE, ...completeFinding(evidence) }]
  for (const gate of spec.gates) findings.push({ gate: gateName(gate), ...(await findingOf(gate, evidence)) })
  const now = new Date()
  const { answer, gates } = judgeRelease(findings, spec.waivers, now.toISOString().slice(0, 10))
  const files = await evidenceFiles(spec, directory)
  const [own = { path: basename(file) }] = await readEvidence([basename(file)], directory)
  return {
    apiVersion: 'ironlaw/v1',
    kind: 'ReleaseCheck',
    name: spec.name,
    version: evidence.version.id,
    checked_at: now.getTime() / 1000,
    answer,
    risk: spec.risk,
    spec: own,
    gates: gates.map(({ gate, kind, state, why, wouldChange, figures, waiver }) => ({
      gate,
      kind,
      state,
      why,
      would_change: wouldChange,
      figures: [...figures],
      evidence: [...(files.get(gate) ?? [])],
      ...(waiver && { waiver }),
    })),
  }
}

/** By the name of the gate. */
async function evidenceFiles(spec: ReleaseSpec, directory: string): Promise<ReadonlyMap<string, Awaited<ReturnType<typeof readEvidence>>>> {
  const files = new Map([[COMPLETE, await readEvidence([recordPath(spec)], directory)]])
  for (const gate of spec.gates) files.set(gateName(gate), await readEvidence(evidencePaths(gate, spec), directory))
  return files
}

/** A later check replaces an earlier one; another document of that name, such as a spec, stays. */
async function writeRecord(record: ReleaseRecord, to: string): Promise<void> {
  const path = join(to, RELEASE_FILE)
  if (existsSync(path) && !RELEASE_RECORD.safeParse(readDocument(path)).success)
    throw new IronlawError('IL_USAGE', {
      problem: `${path} is there and was not written by "ironlaw release check"; name another directory with --to`,
      command: 'release check',
    })
  await writeJsonFile(path, record)
}

const MARKS = { passed: '✓', refused: '✗', undecided: '?', waived: '~' } as const

const checkText = ({ name, version, answer, gates }: ReleaseRecord): string =>
  [
    `${name}, version ${version}: ${answer}`,
    '',
    table(
      ['', 'gate', '', 'why'],
      gates.map((gate) => [MARKS[gate.state], gate.gate, gate.state, whyText(gate)]),
    ),
  ].join('\n')

function whyText({ why, state, waiver }: ReleaseRecord['gates'][number]): string {
  if (!waiver) return why
  const holds = state === 'waived' ? `waived until ${waiver.until}` : `its waiver ended on ${waiver.until}`
  return `${why}; ${holds} by ${waiver.by}: ${waiver.why}`
}

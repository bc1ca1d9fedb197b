// Two versions of a named dataset side by side: what each step kept of them, and what came out.

import type { ArtifactNameView } from '@ironlaw/contracts/artifact-operations'
import { foldersWith } from '@ironlaw/contracts/artifact'
import { type DataFigures, FIGURES_FILE, parseDataFigures } from '@ironlaw/contracts/data-figures'
import { bytes, counted, show } from '@ironlaw/units'
import { type ReactNode, useMemo } from 'react'
import { DifferenceTable } from '../compare/difference-table.tsx'
import { artifactHref, keepProject } from '../places.ts'
import { type ApiResult, call } from '../runs/api.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Select } from '../ui/fields.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { type ArtifactPlace, readJson, refused, useOnce } from './artifact-files.ts'
import { figureRows, versionsToCompare } from './version-rows.ts'

type Chosen = { readonly first: number; readonly second: number }

type VersionsViewProps = ArtifactPlace & {
  readonly name: string
  /** Zero where none is chosen yet. */
  readonly chosen: Chosen
  readonly onChosen: (part: Partial<Chosen>) => void
}

export function VersionsView({ name, chosen, onChosen, ...of }: VersionsViewProps): ReactNode {
  const { project } = of
  const answer = useOnce(`${project} ${name}`, () => call('listArtifactNames', { project, name, query: { limit: 1000 } }))
  if (!answer) return <Empty>Loading…</Empty>
  if (!answer.ok) return <Refusal problem={answer} />
  const versions = answer.value.items
  const pair = versionsToCompare(versions, { ...chosen, shown: of.artifact })
  if (!pair)
    return (
      <Empty>
        {name} has one version so far. Add another with <code>ironlaw artifact add DIRECTORY --name {name}</code>, and this page compares
        them.
      </Empty>
    )
  const options = versions.map(({ version, artifact, by }) => ({
    id: String(version),
    name: `${name}@${version} (${artifact.slice(0, 12)}, by ${by})`,
  }))
  return (
    <>
      <div className="page-head">
        <Select
          label="First"
          value={String(pair[0].version)}
          options={options}
          onChange={(version) => onChosen({ first: Number(version) })}
        />
        <Select
          label="Second"
          value={String(pair[1].version)}
          options={options}
          onChange={(version) => onChosen({ second: Number(version) })}
        />
      </div>
      <Compared key={`${pair[0].version} ${pair[1].version}`} project={project} pair={pair} />
    </>
  )
}

type ComparedProps = { readonly project: string; readonly pair: readonly [ArtifactNameView, ArtifactNameView] }

function Compared({ project, pair: [left, right] }: ComparedProps): ReactNode {
  const first = useOnce(`figures ${left.artifact}`, () => figuresOf({ project, artifact: left.artifact }))
  const second = useOnce(`figures ${right.artifact}`, () => figuresOf({ project, artifact: right.artifact }))
  const rows = useMemo(() => (first?.ok && second?.ok ? figureRows(first.value, second.value) : []), [first, second])
  const problem = [first, second].find((each) => each && !each.ok)
  const headOf = ({ name, version }: ArtifactNameView): string => `${name}@${version}`
  const heads = [headOf(left), headOf(right)] as const
  return (
    <div className="cards">
      <Card
        title="What changed"
        wide
        busy={!problem && (!first || !second)}
        about={
          <>
            <a href={keepProject(artifactHref(project, left.artifact))}>{heads[0]}</a> and{' '}
            <a href={keepProject(artifactHref(project, right.artifact))}>{heads[1]}</a>. Rows that are the same in both are muted.
          </>
        }
      >
        {problem && !problem.ok && <Refusal problem={problem} />}
        {left.artifact === right.artifact && <p className="quiet">Both versions are the same artifact.</p>}
        {first?.ok && second?.ok && (
          <DifferenceTable
            name="versions"
            label="Figures of both versions"
            heads={heads}
            rows={rows}
            empty="Neither has figures of steps or sources."
          />
        )}
      </Card>
      {left.artifact !== right.artifact && <FilesCard project={project} left={left.artifact} right={right.artifact} />}
    </div>
  )
}

async function figuresOf(place: ArtifactPlace): Promise<ApiResult<DataFigures>> {
  const manifest = await call('getArtifactManifest', place)
  if (!manifest.ok) return manifest
  const [folder] = foldersWith(manifest.value.files, FIGURES_FILE)
  if (folder === undefined)
    return refused(
      `${place.artifact.slice(0, 16)} has no ${FIGURES_FILE}`,
      'Only datasets that ironlaw data build made can be compared here.',
    )
  return readJson({ ...place, path: `${folder}${FIGURES_FILE}` }, parseDataFigures)
}

function FilesCard({ project, left, right }: { readonly project: string; readonly left: string; readonly right: string }): ReactNode {
  const answer = useOnce(`${left} ${right}`, () => call('diffArtifacts', { project, artifact: left, other: right }))
  return (
    <Card title="Files" wide busy={!answer}>
      {answer && !answer.ok && <Refusal problem={answer} />}
      {answer?.ok && (
        <p>
          {counted(answer.value.files_same, 'file')} the same, {counted(answer.value.files_changed, 'file')} changed, added or removed;{' '}
          {show(bytes(answer.value.bytes_shared), 'B')} are in chunks that both have.{' '}
          <code>
            ironlaw diff {left.slice(0, 16)} {right.slice(0, 16)}
          </code>{' '}
          lists them.
        </p>
      )}
    </Card>
  )
}

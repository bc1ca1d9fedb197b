// The files of a version by their digests, and whether somebody signed them. The page has no key, so it verifies nothing.

import { SIGNATURE_FILE } from '@ironlaw/contracts/model-signature'
import { MODEL_VERSION, MODEL_VERSION_FILE, type ModelFile, type ModelVersion } from '@ironlaw/contracts/model-version'
import { bytes, show } from '@ironlaw/units'
import type { ReactNode } from 'react'
import { type ArtifactPlace, readJson, useOnce } from '../datasets/artifact-files.ts'
import { type ApiResult, call } from '../runs/api.ts'
import { Card } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Refusal } from '../ui/refusal.tsx'

type VersionFiles = { readonly isSigned: boolean; readonly record?: ModelVersion }

async function filesOf(place: ArtifactPlace): Promise<ApiResult<VersionFiles>> {
  const manifest = await call('getArtifactManifest', place)
  if (!manifest.ok) return manifest
  const paths = new Set(manifest.value.files.map(({ path }) => path))
  const isSigned = paths.has(SIGNATURE_FILE)
  if (!paths.has(MODEL_VERSION_FILE)) return { ok: true, value: { isSigned } }
  const record = await readJson({ ...place, path: MODEL_VERSION_FILE }, (value) => MODEL_VERSION.parse(value))
  return record.ok ? { ok: true, value: { isSigned, record: record.value } } : record
}

const COLUMNS: readonly Column<ModelFile>[] = [
  { name: 'File', className: 'wraps', value: ({ path }) => path, cell: ({ path }) => <code>{path}</code> },
  { name: 'Weights', value: ({ weights }) => weights },
  { name: 'Size', isNumber: true, value: (file) => file.bytes, cell: (file) => show(bytes(file.bytes), 'B') },
  { name: 'SHA-256', className: 'wraps', value: ({ sha256 }) => sha256, cell: ({ sha256 }) => <code>{sha256}</code> },
]

export function FilesCard(place: ArtifactPlace): ReactNode {
  const answer = useOnce(`files ${place.artifact}`, () => filesOf(place))
  return (
    <Card
      title="Files and signature"
      about={answer?.ok && (answer.value.isSigned ? SIGNED : UNSIGNED)}
      aside={
        answer?.ok && (
          <span className={`chip ${answer.value.isSigned ? 'good' : 'plain'}`}>{answer.value.isSigned ? 'signed' : 'not signed'}</span>
        )
      }
      wide
      busy={!answer}
    >
      {answer && !answer.ok && <Refusal problem={answer} />}
      {answer?.ok && !answer.value.record && (
        <p className="quiet">
          It has no <code>{MODEL_VERSION_FILE}</code>, so no deployment can name it. <code>ironlaw export</code> writes one.
        </p>
      )}
      {answer?.ok && answer.value.record && (
        <DataTable name="digests" label="Table of files" columns={COLUMNS} rows={answer.value.record.files} keyOf={({ path }) => path} />
      )}
    </Card>
  )
}

const SIGNED = (
  <>
    It has a <code>{SIGNATURE_FILE}</code>. Whether the signature holds is said by <code>ironlaw verify</code> and by engines, with the key.
  </>
)
const UNSIGNED = (
  <>
    Engines compare their files with these digests. <code>ironlaw sign</code> adds who vouches for them.
  </>
)

// Loss spikes with the command that prints the batch of each, and the data that the run used.

import type { RunView } from '@ironlaw/contracts/api'
import { type LossSpike, spikeText } from '@ironlaw/policies/run'
import type { ReactNode } from 'react'
import { artifactHref, keepProject } from '../places.ts'
import { CopyButton } from '../ui/copy-button.tsx'

/** A page with more is no longer read. */
const MOST_SHOWN = 10

export const spikeId = ({ step }: LossSpike): string => `spike-${step}`

export function SpikeList({ run, spikes }: { readonly run: RunView; readonly spikes: readonly LossSpike[] }): ReactNode {
  if (spikes.length === 0) return undefined
  const uses = run.uses ?? []
  const older = spikes.length - MOST_SHOWN
  return (
    <>
      <ul className="events" aria-label="Loss spikes">
        {spikes
          .slice(-MOST_SHOWN)
          .toReversed()
          .map((spike, at) => (
            <li key={`${spike.step} ${at}`} id={spikeId(spike)}>
              {spikeText(spike)} {uses.length > 0 && <BatchCommand command={`ironlaw data show ${run.id} --step ${spike.step}`} />}
            </li>
          ))}
      </ul>
      {older > 0 && (
        <p className="quiet">
          {older.toLocaleString('en')} older ones: ironlaw describe {run.id} --json.
        </p>
      )}
      <p className="quiet">
        {uses.length === 0 && 'What these steps saw is not known: the spec names no data order and datasets under uses.'}
        {uses.length > 0 && 'Data of the run: '}
        {uses.map((id, at) => (
          <span key={id}>
            {at > 0 && ', '}
            <a href={keepProject(artifactHref(run.project, id))}>{id.slice(0, SHORT)}</a>
          </span>
        ))}
      </p>
    </>
  )
}

const SHORT = 16

const BatchCommand = ({ command }: { readonly command: string }): ReactNode => (
  <>
    <code>{command}</code> <CopyButton text={() => command}>Copy</CopyButton>
  </>
)

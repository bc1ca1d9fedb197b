// Controls of the training studio that most questions leave as they are: fine-tuning, offload, failures.

import type { ReactNode } from 'react'
import { Segments } from '../ui/fields.tsx'
import { binaryLadder } from '../ui/ladder.ts'
import { MoreFields } from '../ui/more-fields.tsx'
import { parseCount, Slider } from '../ui/slider.tsx'
import { TRAINING, type TrainingState } from './question.ts'
import { trainsAdapters } from './written-spec.ts'

const RANKS = binaryLadder({ from: 1, to: 512, parts: 1 })
const DOCUMENTS = [0, ...binaryLadder({ from: 64, to: 65_536, parts: 1 })]
const FAILURES = [0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100]

export type MoreControlsProps = { readonly state: TrainingState; readonly ask: (part: Partial<TrainingState>) => void }

/** Only where there are adapters to train. */
export const AdapterControls = ({ state, ask }: MoreControlsProps): ReactNode =>
  trainsAdapters(state) && (
    <>
      <Slider
        label="Rank of the adapters"
        ladder={RANKS}
        value={state.loraRank}
        shown={String(state.loraRank)}
        typed={parseCount}
        onChange={(loraRank) => ask({ loraRank })}
      />
      <Segments
        label="Adapters on"
        value={state.loraTargets}
        options={['all-linear', 'attention']}
        onChange={(loraTargets) => ask({ loraTargets })}
      />
    </>
  )

export const MoreControls = ({ state, ask }: MoreControlsProps): ReactNode => (
  <MoreFields
    fields={TRAINING}
    state={state}
    names={['method', 'documents', 'packing', 'optimizerOn', 'failures', 'restart', 'checkpointTo']}
  >
    <Segments label="Method" value={state.method} options={['next-token', 'dpo']} onChange={(method) => ask({ method })} />
    <Slider
      label="Mean tokens of a document"
      ladder={DOCUMENTS}
      value={state.documents}
      shown={state.documents === 0 ? 'a sequence' : state.documents.toLocaleString('en')}
      typed={parseCount}
      onChange={(documents) => ask({ documents })}
    />
    {state.documents > 0 && (
      <Segments
        label="Documents in a sequence"
        value={state.packing}
        options={['packed', 'padded']}
        onChange={(packing) => ask({ packing })}
      />
    )}
    <Segments
      label="Optimizer states on"
      value={state.optimizerOn}
      options={['planned', 'device', 'host', 'nvme']}
      onChange={(optimizerOn) => ask({ optimizerOn })}
    />
    <Slider
      label="Failures per 1,000 node-days"
      ladder={FAILURES}
      value={state.failures}
      shown={state.failures === 0 ? 'as published' : String(state.failures)}
      typed={parseCount}
      onChange={(failures) => ask({ failures })}
    />
    <Segments label="A failure restarts" value={state.restart} options={['job', 'in-process']} onChange={(restart) => ask({ restart })} />
    <Segments
      label="Checkpoints go to"
      value={state.checkpointTo}
      options={['storage', 'peers']}
      onChange={(checkpointTo) => ask({ checkpointTo })}
    />
  </MoreFields>
)

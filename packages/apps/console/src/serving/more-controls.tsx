// Controls of the serving studio that most questions leave as they are: speculation, adapters, offload, layout.

import type { ReactNode } from 'react'
import { Combo, Select } from '../ui/fields.tsx'
import { binaryLadder } from '../ui/ladder.ts'
import { MoreFields } from '../ui/more-fields.tsx'
import { parseCount, Slider } from '../ui/slider.tsx'
import { SERVING, SPECULATIONS, type ServingState } from './question.ts'

const DRAFTED = Array.from({ length: 16 }, (_, at) => at + 1)
const ACCEPTANCES = Array.from({ length: 20 }, (_, at) => 5 * at)
const ADAPTERS = [0, ...binaryLadder({ from: 1, to: 4096, parts: 1 })]
const RANKS = binaryLadder({ from: 1, to: 512, parts: 1 })
const SIZES = [0, ...binaryLadder({ from: 8, to: 8192, parts: 1 })]
const REUSES = [10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400]
const DEGREES = [{ id: '0', name: 'as planned' }, ...['1', '2', '4', '8', '16', '32', '64'].map((id) => ({ id, name: id }))]

const SPECULATION_NAMES: Readonly<Record<(typeof SPECULATIONS)[number], string>> = {
  none: 'none',
  mtp: 'MTP layers of the model',
  eagle3: 'EAGLE-3 head',
  eagle: 'EAGLE head',
  draft: 'draft model',
  ngram: 'n-grams',
}

export type MoreControlsProps = {
  readonly state: ServingState
  readonly models: readonly string[]
  readonly ask: (part: Partial<ServingState>) => void
}

const NAMES = [
  'speculation',
  'drafted',
  'acceptance',
  'draft',
  'adapters',
  'adapterRank',
  'offloadHost',
  'offloadDrive',
  'reuse_s',
  'tensor',
  'copies',
] as const

export const MoreControls = (props: MoreControlsProps): ReactNode => (
  <MoreFields fields={SERVING} state={props.state} names={NAMES}>
    <SpeculationControls {...props} />
    <AdapterControls {...props} />
    <OffloadControls {...props} />
    <Select
      label="Tensor-parallel ranks"
      value={String(props.state.tensor)}
      options={DEGREES}
      onChange={(tensor) => props.ask({ tensor: Number(tensor) })}
    />
    <Select
      label="Copies of the attention"
      value={String(props.state.copies)}
      options={DEGREES}
      onChange={(copies) => props.ask({ copies: Number(copies) })}
    />
  </MoreFields>
)

const SpeculationControls = ({ state, models, ask }: MoreControlsProps): ReactNode => (
  <>
    <Select
      label="Speculation"
      value={state.speculation}
      options={SPECULATIONS.map((id) => ({ id, name: SPECULATION_NAMES[id] }))}
      onChange={(speculation) => ask({ speculation: SERVING.speculation.read(speculation) ?? 'none' })}
    />
    {state.speculation === 'draft' && (
      <Combo label="Model that drafts" value={state.draft} options={models} onChange={(draft) => ask({ draft })} />
    )}
    {state.speculation !== 'none' && (
      <>
        <Slider
          label="Tokens drafted per step"
          ladder={DRAFTED}
          value={state.drafted}
          shown={String(state.drafted)}
          typed={(text) => (Number(text) <= 16 ? parseCount(text) : undefined)}
          onChange={(drafted) => ask({ drafted })}
        />
        <Slider
          label="Chance that one is kept"
          ladder={ACCEPTANCES}
          value={state.acceptance}
          shown={state.acceptance === 0 ? 'as published' : `${state.acceptance} %`}
          typed={(text) => (parseFloat(text) < 100 ? parseCount(text.replace('%', '')) : undefined)}
          onChange={(acceptance) => ask({ acceptance })}
        />
      </>
    )}
  </>
)

const AdapterControls = ({ state, ask }: MoreControlsProps): ReactNode => (
  <>
    <Slider
      label="LoRA adapters"
      ladder={ADAPTERS}
      value={state.adapters}
      shown={state.adapters === 0 ? 'none' : state.adapters.toLocaleString('en')}
      typed={parseCount}
      onChange={(adapters) => ask({ adapters })}
    />
    {state.adapters > 0 && (
      <Slider
        label="Rank of an adapter"
        ladder={RANKS}
        value={state.adapterRank}
        shown={String(state.adapterRank)}
        typed={parseCount}
        onChange={(adapterRank) => ask({ adapterRank })}
      />
    )}
  </>
)

const OffloadControls = ({ state, ask }: MoreControlsProps): ReactNode => (
  <>
    <Slider
      label="Host memory for the cache, per device"
      ladder={SIZES}
      value={state.offloadHost}
      shown={sizeText(state.offloadHost)}
      typed={parseSize}
      onChange={(offloadHost) => ask({ offloadHost })}
    />
    {state.offloadHost > 0 && (
      <>
        <Slider
          label="Drive for the cache, per device"
          ladder={SIZES}
          value={state.offloadDrive}
          shown={sizeText(state.offloadDrive)}
          typed={parseSize}
          onChange={(offloadDrive) => ask({ offloadDrive })}
        />
        <Slider
          label="A prompt comes back after"
          ladder={REUSES}
          value={state.reuse_s}
          shown={`${state.reuse_s.toLocaleString('en')} s`}
          typed={(text) => parseCount(text.replace(/\s*s$/, ''))}
          onChange={(reuse_s) => ask({ reuse_s })}
        />
      </>
    )}
  </>
)

const sizeText = (gigabytes: number): string => (gigabytes === 0 ? 'none' : `${gigabytes.toLocaleString('en')} GB`)
const parseSize = (text: string): number | undefined => parseCount(text.replace(/\s*GB$/i, ''))

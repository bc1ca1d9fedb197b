// Which model: one from the list, or a pasted config.json.

import type { ReactNode } from 'react'
import { Combo } from './fields.tsx'
import { PasteConfig } from './paste-config.tsx'

export type Model = { readonly model: string; readonly config: string }
export type ModelFieldProps = Model & { readonly models: readonly string[]; readonly onChange: (part: Partial<Model>) => void }

export const ModelField = ({ model, config, models, onChange }: ModelFieldProps): ReactNode => (
  <>
    {config === '' ? (
      <Combo label="Model" value={model} options={models} onChange={(next) => onChange({ model: next })} />
    ) : (
      <p className="pasted">Model: the config.json that you pasted</p>
    )}
    <PasteConfig config={config} onChange={(next) => onChange({ config: next })} />
  </>
)

export const modelName = ({ model, config }: Model): string => (config === '' ? (model.split('/').at(-1) ?? model) : 'your model')

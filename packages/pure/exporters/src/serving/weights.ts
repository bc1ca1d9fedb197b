// Where an engine finds weights: in a folder, or under a name of the hub. A plan may name the config.json in that folder.

import type { ServingPlan } from '@ironlaw/contracts'

export const weightsOf = ({ model }: Pick<ServingPlan, 'model'>): string => folderOf(model.name)

export const folderOf = (name: string): string => name.replace(/(?<=.)\/config\.json$/, '').replace(/^config\.json$/, '.')

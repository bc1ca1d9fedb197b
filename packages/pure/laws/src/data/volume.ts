import { count, law, one } from '../law.ts'
import { vol2 } from '../sources.ts'

export const historyStorage = law({
  id: 'data/history-storage',
  name: 'Size of a feature history',
  decides: 'how long and how finely a feature store can keep history',
  is: 'entities * features * retention / updateInterval * bytesPerValue',
  source: vol2.mlOperationsAtScale,
  validity: 'every value stored at every update; change-only storage takes far less',
  inputs: { entities: count, features: count, retention: one('s'), updateInterval: one('s'), bytesPerValue: one('B') },
  output: 'volume',
  unit: 'B',
  of: ({ entities, features, retention, updateInterval, bytesPerValue }) =>
    ((entities * features * retention) / updateInterval) * bytesPerValue,
  also: {
    values: {
      unit: '1',
      is: 'entities * features * retention / updateInterval',
      of: ({ entities, features, retention, updateInterval }) => (entities * features * retention) / updateInterval,
    },
  },
})

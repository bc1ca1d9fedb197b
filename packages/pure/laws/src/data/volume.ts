import { count, countOr, law, one, or, share } from '../law.ts'

export const audioDatasetBytes = law({
  id: 'data/audio-dataset-bytes',
  name: 'Size of an audio data set',
  decides: 'how much storage recordings need before compression',
  is: 'clips * clipDuration * samplingRate * bytesPerValue * channels',
  source: 'Machine Learning Systems vol. 1, Data Engineering',
  validity: 'uncompressed samples of fixed width',
  inputs: { clips: count, clipDuration: one('s'), samplingRate: one('1/s'), bytesPerValue: one('B'), channels: countOr(1) },
  output: 'bytes',
  unit: 'B',
  of: ({ clips, clipDuration, samplingRate, bytesPerValue, channels = 1 }) =>
    clips * clipDuration * samplingRate * bytesPerValue * channels,
})

export const historyStorage = law({
  id: 'data/history-storage',
  name: 'Size of a feature history',
  decides: 'how long and how finely a feature store can keep history',
  is: 'entities * features * retention / updateInterval * bytesPerValue',
  source: 'Machine Learning Systems vol. 2, ML Operations at Scale',
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

export const deltaVersion = law({
  id: 'data/delta-version',
  name: 'Size of a data set version stored as a difference',
  decides: 'full copies or differences for data set versions',
  is: 'bytes * changedFraction',
  source: 'Machine Learning Systems vol. 2, Data Storage',
  validity: 'changes cluster in the unit that is compared; scattered edits touch more chunks than bytes',
  inputs: { bytes: one('B'), changedFraction: share },
  output: 'delta',
  unit: 'B',
  of: ({ bytes, changedFraction }) => bytes * changedFraction,
  also: { reduction: { unit: '1', is: '1 / changedFraction', of: ({ changedFraction }) => 1 / changedFraction } },
})

export const syntheticFootprint = law({
  id: 'data/synthetic-footprint',
  name: 'Storage of synthetic data with its provenance and verdicts',
  decides: 'how much storage a synthetic data pipeline really needs',
  is: 'payload * (1 + provenanceOverhead) * judges',
  source: 'Machine Learning Systems vol. 2, Data Storage',
  validity: 'every judge keeps its own annotated copy',
  inputs: { payload: one('B'), provenanceOverhead: or('1', 0), judges: countOr(1) },
  output: 'footprint',
  unit: 'B',
  of: ({ payload, provenanceOverhead = 0, judges = 1 }) => payload * (1 + provenanceOverhead) * judges,
})

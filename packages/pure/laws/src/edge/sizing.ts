import { count, countOr, law, one, or, share } from '../law.ts'
import { vol1 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

export const edgeComputeDemand = law({
  id: 'edge/compute-demand',
  name: 'Compute that a site of sensors needs',
  decides: 'which device a site needs',
  is: 'sources * frameRate * flopsPerInference',
  source: vol1.mlSystems,
  validity: 'every frame goes through the model; sustained rate, not peak',
  inputs: { sources: countOr(1), frameRate: one('1/s'), flopsPerInference: one('FLOP'), headroom: or('1', 1) },
  output: 'demand',
  unit: 'FLOP/s',
  of: ({ sources = 1, frameRate, flopsPerInference }) => sources * frameRate * flopsPerInference,
  also: {
    rate: { unit: '1/s', is: 'sources * frameRate', of: ({ sources = 1, frameRate }) => sources * frameRate },
    withHeadroom: { unit: 'FLOP/s', is: 'demand * headroom', of: ({ headroom = 1 }, demand) => demand * headroom },
  },
})

export const devicesPerSite = law({
  id: 'edge/devices-per-site',
  name: 'Devices that a site needs',
  decides: 'how many edge devices to buy for a site',
  is: 'ceil(demand * headroom / (peakFlops * derating))',
  source: vol1.mlSystems,
  validity: 'work divides over devices; derating about 0.5 of the printed peak; peak and demand in the same precision',
  inputs: { demand: one('FLOP/s'), headroom: or('1', 1), peakFlops: one('FLOP/s'), derating: share },
  output: 'devices',
  unit: '1',
  of: ({ demand, headroom = 1, peakFlops, derating }) => tolerantCeil((demand * headroom) / (peakFlops * derating)),
})

export const edgeHeadroom = law({
  id: 'edge/headroom',
  name: 'Headroom of a device over its demand',
  decides: 'whether a device carries the work and how much more',
  is: 'peakFlops * efficiency / demand',
  source: vol1.networkArchitectures,
  validity: 'compute bound; below 1 the device is too slow',
  inputs: { peakFlops: one('FLOP/s'), efficiency: share, demand: one('FLOP/s') },
  output: 'headroom',
  unit: '1',
  of: ({ peakFlops, efficiency, demand }) => (peakFlops * efficiency) / demand,
})

export const rawVideoRate = law({
  id: 'edge/raw-video-rate',
  name: 'Bandwidth of raw video',
  decides: 'whether frames can leave the site or must be processed there',
  is: 'cameras * width * height * channels * bytesPerValue * frameRate',
  source: vol1.mlSystems,
  validity: 'uncompressed frames',
  inputs: {
    cameras: countOr(1),
    width: count,
    height: count,
    channels: count,
    bytesPerValue: one('B'),
    frameRate: one('1/s'),
  },
  output: 'bandwidth',
  unit: 'B/s',
  of: ({ cameras = 1, width, height, channels, bytesPerValue, frameRate }) =>
    cameras * width * height * channels * bytesPerValue * frameRate,
  also: {
    bandwidthPerCamera: {
      unit: 'B/s',
      is: 'width * height * channels * bytesPerValue * frameRate',
      of: ({ width, height, channels, bytesPerValue, frameRate }) => width * height * channels * bytesPerValue * frameRate,
    },
  },
})

import { law, one } from '../law.ts'
import { DALY } from '../sources.ts'

export const youngDaly = law({
  id: 'reliability/young-daly',
  name: 'Young-Daly checkpoint interval',
  decides: 'how often to checkpoint',
  is: 'sqrt(2 * writeTime * mtbf)',
  source: `J. W. Young, A first order approximation to the optimum checkpoint interval, CACM 17(9), 1974; ${DALY}`,
  validity: 'the write below a tenth of the mean time between failures; failures memoryless',
  holds: ({ writeTime, mtbf }) => writeTime < mtbf / 10,
  inputs: { writeTime: one('s'), mtbf: one('s') },
  output: 'interval',
  unit: 's',
  of: ({ writeTime, mtbf }) => Math.sqrt(2 * writeTime * mtbf),
  also: {
    writeShare: { unit: '1', is: 'writeTime / interval', of: ({ writeTime }, interval) => writeTime / interval },
    totalTax: {
      unit: '1',
      is: 'writeShare + interval / (2 * mtbf)',
      of: ({ writeTime, mtbf }, interval) => writeTime / interval + interval / (2 * mtbf),
    },
  },
})

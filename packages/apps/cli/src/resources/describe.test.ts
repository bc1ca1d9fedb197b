import type { LossSpike } from '@ironlaw/policies/run'
import { expect, test } from 'vitest'
import { spikeLines } from './describe.ts'

const spikeAt = (step: number): LossSpike => ({ step, until: step, loss: 9, usual: 3, deviations: 40, isBroken: false })

test('a spike is told with the command that prints its batch', () => {
  expect(spikeLines({ id: 'tiny-1', uses: ['art-1'] }, [spikeAt(4120)])).toEqual([
    expect.stringContaining('loss 9.000 at step 4,120, 40 deviations above 3.000'),
    expect.stringMatching(/ironlaw data show tiny-1 --step 4120$/),
  ])
})

test('of many the newest are shown, and without a data order no command is promised', () => {
  const lines = spikeLines({ id: 'tiny-1' }, [1, 2, 3, 4, 5, 6, 7].map(spikeAt)).join('\n')
  expect(lines).toContain('2 older loss spikes')
  expect(lines).not.toContain('at step 2,')
  expect(lines).not.toContain('data show')
  expect(lines).toContain('names no data order')
  expect(spikeLines({ id: 'tiny-1' }, [])).toEqual([])
})

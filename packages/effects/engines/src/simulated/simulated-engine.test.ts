import { engineConformance } from '../conformance.ts'
import { SimulatedEngine } from './simulated-engine.ts'

engineConformance(
  'simulated',
  async () => {
    const model = { id: 'simulated', context_tokens: 64, slots: 3 }
    const engine = new SimulatedEngine({ model, step_s: (running) => 0.0005 + running * 1e-4, prefill_s_per_token: 1e-5 })
    return { engine, stop: () => engine.close() }
  },
  {
    prefix: 'nothing is evaluated, so nothing is kept',
    schema: 'words are drawn, not sampled',
  },
)

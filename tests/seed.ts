// Property tests draw the same cases on every run, so that a red run can be had again; FC_SEED draws others.

import { fc } from '@fast-check/vitest'

fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_115) })

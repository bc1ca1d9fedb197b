// Property tests draw other cases every day, the same ones all day, so that a red run can be had again; FC_SEED draws those of another day.
// A user's measurements on this machine must not change what tests expect.

import { fc } from '@fast-check/vitest'

const today = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''))

fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? today) })

process.env['IRONLAW_MEASURED'] ??= '/nonexistent/ironlaw/measured'

// The core inside a page: every pure package is imported and used, and the result is left where the test can read it.

import { accelerator, builtInCatalog, usualPeak } from '@ironlaw/catalog'
import { book, checkLaws } from '@ironlaw/laws'
import { omittedExamples, workedExamples } from '@ironlaw/laws/examples'
import { checkModels } from '@ironlaw/models'
import { parse, show } from '@ironlaw/units'

const bandwidth = parse('400 Gb/s', 'B/s')
const peak = usualPeak(accelerator(builtInCatalog, 'h100-sxm'))
const { laws, failed, passed } = checkLaws(book, workedExamples, omittedExamples)

const result = {
  units: bandwidth.ok ? show(bandwidth.value, 'B/s') : bandwidth.reason,
  peak: peak ? show(peak.peak.value, 'FLOP/s') : 'none',
  laws,
  passed,
  failed,
  models: checkModels().models,
}
// The compiler knows no page here; only this file meets one.
const { document } = globalThis as unknown as { document: { title: string } }
document.title = JSON.stringify(result)

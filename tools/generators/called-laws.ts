// Which laws the product itself calls, read off the imports of its sources.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Law } from '@ironlaw/laws'

const ROOT = join(import.meta.dirname, '../..')
const IMPORTS = /import \{([^}]*)\} from '@ironlaw\/laws\/([\w-]+\/[\w-]+)'/g

const isLaw = (value: unknown): value is Law => typeof value === 'object' && value !== null && 'id' in value && 'of' in value

/** Ids of the laws that a package other than the law book imports. */
export async function calledLaws(): Promise<ReadonlySet<string>> {
  const called = new Set<string>()
  for (const file of globSync('packages/*/*/src/**/*.ts', { cwd: ROOT })) {
    if (file.includes('/laws/') || file.endsWith('.test.ts')) continue
    for (const [, names = '', chapter = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORTS)) {
      const laws: Readonly<Record<string, unknown>> = await import(`@ironlaw/laws/${chapter}`)
      for (const name of names.split(',')) {
        const law = laws[name.trim().replace(/^type /, '')]
        if (isLaw(law)) called.add(law.id)
      }
    }
  }
  return called
}

/** Formulas that only multiply and divide. */
export const isPlainArithmetic = ({ is, also }: Law): boolean =>
  Object.keys(also).length === 0 && /^[\w\s.*/()]+$/.test(is) && !/[a-z]\w*\(/i.test(is) && !is.includes(' where ')

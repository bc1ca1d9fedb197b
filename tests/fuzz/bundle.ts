// A target with everything it imports as one file, its branches counted: our own packages and the YAML library, which parse what comes
// from outside. Other libraries are bundled as they are.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { COUNTERS, instrument } from './instrument.ts'

export type Bundle = { readonly file: string; readonly branches: number; readonly words: readonly string[] }

const COUNTED = /\/packages\/(?:pure|effects|apps)\/.*\.ts$|\/node_modules\/yaml\/.*\.js$|\/tests\/fuzz\/planted\/.*\.ts$/
const GENERATED = /\.generated\./
/** Native libraries, which no target here calls. */
const NATIVE = /^node-llama-cpp$/

export async function bundleTarget(
  name: string,
  { entry, directory }: { readonly entry: string; readonly directory: string },
): Promise<Bundle> {
  let branches = 0
  const words = new Set<string>()
  const build = await rolldown({
    input: entry,
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'leave-native-libraries-out',
        resolveId: (id) => (NATIVE.test(id) ? { id: `\0${id}`, moduleSideEffects: false } : null),
        load: (id) => (id.startsWith('\0node-llama-cpp') ? { code: 'module.exports = {}', moduleType: 'js' } : null),
      },
      {
        name: 'count-branches',
        load: async (id) => {
          if (!COUNTED.test(id) || GENERATED.test(id)) return null
          const lang = id.endsWith('.ts') ? 'ts' : 'js'
          const counted = instrument(await readFile(id, 'utf8'), { lang, first: branches })
          branches = counted.next
          if (lang === 'ts') for (const word of counted.words) words.add(word)
          return { code: counted.code, moduleType: lang }
        },
      },
    ],
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  const file = join(directory, `${name}.mjs`)
  await writeFile(file, output[0].code)
  return { file, branches, words: [...words] }
}

/** Counters that the bundled modules find when they are loaded; one bundle in a process at a time, or a few with an array each. */
export function installCounters(length: number): Uint32Array {
  const counters = new Uint32Array(length)
  Object.assign(globalThis, { [COUNTERS]: counters })
  return counters
}

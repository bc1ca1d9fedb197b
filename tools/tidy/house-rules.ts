// House rules that a linter does not know: names, barrels, swallowed errors, mocks, the root list, words.

import { swallowedErrors } from './swallowed-errors.ts'
import { type Tree, tableUnder } from './tree.ts'
import { BANNED_NAMES, BANNED_PHRASES } from './vocabulary.ts'

type Rule = (tree: Tree) => string[]

const isSource = (path: string): boolean => /^packages\/.*\/src\/.*\.tsx?$/.test(path)
const isTest = (path: string): boolean => /\.test(-d)?\.tsx?$/.test(path)

/** The name says nothing, so everything fits. */
const EMPTY_NAMES = /(?:^|\/)(?:utils?|helpers?|common|misc|shared)(?:\/|\.|$)/

const names: Rule = ({ paths }) =>
  paths.flatMap((path) => [
    ...(EMPTY_NAMES.test(path) ? [`${path}: name the concept instead`] : []),
    ...(isSource(path) && /[A-Z_]/.test(path.split('/').at(-1) ?? '') ? [`${path}: file names are kebab-case`] : []),
  ])

const barrels: Rule = ({ paths, text }) =>
  paths
    .filter((path) => isSource(path) && !path.endsWith('/src/index.ts') && /^export \* (?:as \w+ )?from/m.test(text(path)))
    .map((path) => `${path}: only a package's index.ts re-exports whole modules`)

const catches: Rule = ({ paths, text }) =>
  paths
    .filter((path) => isSource(path) && !isTest(path))
    .flatMap((path) =>
      swallowedErrors(text(path)).map(
        (line) => `${path}:${line}: an error is swallowed; throw, return or log it, or say in a comment why not`,
      ),
    )

const mocks: Rule = ({ paths, text }) =>
  paths
    .filter((path) => isTest(path) && !path.startsWith('tools/tidy/') && /\b(?:vi|jest)\.mock\(/.test(text(path)))
    .map((path) => `${path}: no module mocks; pass the part in, or run the real one`)

const rootList: Rule = ({ paths, text }) => {
  const listed = new Set(tableUnder(text('ARCHITECTURE.md'), ['entry', 'what it holds']).flatMap(([entries = '']) => entries.split(', ')))
  const entries = new Set(paths.map((path) => path.split('/')[0] ?? '').filter((entry) => !entry.startsWith('.')))
  return [
    ...[...entries].filter((entry) => !listed.has(entry)).map((entry) => `${entry}: not in the root list of ARCHITECTURE.md`),
    ...[...listed].filter((entry) => !entries.has(entry)).map((entry) => `ARCHITECTURE.md: ${entry} is listed but not there`),
  ]
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:TODO|FIXME|XXX)\b/, 'open an issue, or do it now'],
  [/\bregistry\.[a-z]+js\.org\b|\bregistry\.yarnpkg\b/, 'name no package registry host'],
  [/(?:^|[\s"'`(])\/(?:work|root|home|tmp)\//, 'no path of a development machine'],
  [/\b(?:enhanced|seamless(?:ly)?|leverage)\b/i, 'say what it does'],
]

const words: Rule = ({ paths, text }) =>
  paths
    .filter((path) => /\.(?:ts|tsx|md|json|yaml|yml|sh)$/.test(path) && !path.startsWith('tools/tidy/') && path !== 'package-lock.json')
    .flatMap((path) =>
      text(path)
        .split('\n')
        .flatMap((line, index) =>
          WORDS.filter(([word]) => word.test(line)).map(
            ([word, reason]) => `${path}:${index + 1}: "${word.exec(line)?.[0].trim()}": ${reason}`,
          ),
        ),
    )

/** Functions and types, also local ones; not values, whose name a reader sees beside what they hold. */
const DECLARATION =
  /^\s*(?:export )?(?:(?:async )?function|type|interface|class|const(?= \w+ = (?:async )?\([^()]*\)(?:: [^=]+)? =>)) (\w+)/gm

const declaredNames: Rule = ({ paths, text }) =>
  paths
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) =>
      [...text(path).matchAll(DECLARATION)].flatMap(([, name = '']) =>
        BANNED_NAMES.filter(([banned]) => banned.test(name)).map(([, instead]) => `${path}: "${name}" says nothing; write ${instead}`),
      ),
    )

/** Texts as an audit of an earlier version quotes them. */
const QUOTES = /^tests\/e2e\/journey\//

const phrases: Rule = ({ paths, text }) =>
  paths
    .filter((path) => /\.(?:tsx?|md|py)$/.test(path) && !path.startsWith('tools/tidy/') && !QUOTES.test(path))
    .flatMap((path) =>
      text(path)
        .split('\n')
        .flatMap((line, index) =>
          BANNED_PHRASES.filter(([phrase]) => phrase.test(line)).map(
            ([phrase, instead]) => `${path}:${index + 1}: "${phrase.exec(line)?.[0]}": write ${instead}`,
          ),
        ),
    )

/** What it owns, what it must not know, where to start reading. */
const readmes: Rule = ({ paths }) =>
  paths
    .filter((path) => /^packages\/[^/]+\/[^/]+\/package\.json$/.test(path))
    .map((path) => path.replace('package.json', 'README.md'))
    .filter((path) => !paths.includes(path))
    .map((path) => `${path} is missing`)

export const HOUSE_RULES: readonly Rule[] = [names, declaredNames, phrases, readmes, barrels, catches, mocks, rootList, words]

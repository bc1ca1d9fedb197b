// A regular expression that finds steps in the output of a program. It is matched on the node, next to the program
// (python/ironlaw/watch_log.py), where a slow match delays only that run. Here it is only compiled, which takes time linear in its length.

import * as z from 'zod'

/** Patterns written by hand have some 80 characters. */
const MOST_CHARACTERS = 500

/** What the groups may be called; `step` must be there. */
const GROUPS = ['step', 'loss', 'gradient_norm'] as const

const GROUP_NAME = /\(\?P?<([A-Za-z_]\w*)>/g

export const STEP_PATTERN = z
  .string()
  .min(1)
  .max(MOST_CHARACTERS)
  .superRefine((pattern, context) => {
    const message = problemOf(pattern)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })

function problemOf(pattern: string): string | undefined {
  const names = [...pattern.matchAll(GROUP_NAME)].map(([, name = '']) => name)
  const unknown = names.find((name) => !GROUPS.some((group) => group === name))
  if (unknown !== undefined) return `there is no use for a group named "${unknown}"; groups are ${GROUPS.join(', ')}`
  if (!names.includes('step')) return 'a group named step is missing; write it as (?<step>\\d+)'
  return syntaxProblem(pattern)
}

/** Python writes (?P<step>...) where others write (?<step>...); both are accepted. */
function syntaxProblem(pattern: string): string | undefined {
  try {
    RegExp(pattern.replaceAll('(?P<', '(?<'))
    return undefined
  } catch (cause) {
    return `is no regular expression: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

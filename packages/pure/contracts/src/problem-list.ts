// Several problems of one document as one message: all of them, so that the user can fix them in one go.

export type ProblemAt = { readonly path: string; readonly problem: string }

/** Beyond these a document is most likely something else altogether, and a screen is full. */
const MOST_PROBLEMS = 20

/** One problem stays as it is; several become a list that begins on a line of its own. */
export function allProblems(problems: readonly ProblemAt[], whole: string): ProblemAt {
  const named = problems.map(({ path, problem }) => ({ path: path || whole, problem }))
  const [first = { path: whole, problem: 'cannot be read' }, ...others] = named
  if (others.length === 0) return first
  const lines = named.slice(0, MOST_PROBLEMS).map(({ path, problem }) => `\n    ${path}: ${problem}`)
  const more = named.length - lines.length
  return { path: `${named.length} problems`, problem: `${lines.join('')}${more > 0 ? `\n    and ${more} more` : ''}` }
}

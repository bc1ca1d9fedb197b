// The projects that a caller may see. What belongs to others is left out of every answer, as if it were not there.

import { type RawBuilder, sql } from 'kysely'

/** `*`: all of them. */
export type ProjectScope = '*' | readonly string[]

export const inProjects = (projects: ProjectScope, column = 'project'): RawBuilder<boolean> =>
  projects === '*' ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = any (${projects}::text[])`

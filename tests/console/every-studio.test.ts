// Pages that need no control plane.

import { checkPages, PARTS } from './page-checks.ts'

checkPages(PARTS.filter(({ start }) => start === undefined))

// The JSON Schemas of specs, for editors to complete and check against.

import { accessSpecSchema } from '@ironlaw/contracts/access-spec'
import { evaluateSpecSchema } from '@ironlaw/contracts/evaluate-spec'
import { releaseSpecSchema } from '@ironlaw/contracts/release-spec'
import { sweepSpecSchema } from '@ironlaw/contracts/sweep-spec'
import { jobSpecSchema } from '@ironlaw/contracts/job-spec'
import { rlSpecSchema } from '@ironlaw/contracts/rl-spec'
import { serveSpecSchema } from '@ironlaw/contracts/serve-spec'
import { teamsSpecSchema } from '@ironlaw/contracts/teams-spec'
import { trainSpecSchema } from '@ironlaw/contracts/train-spec'
import type { GeneratedFile } from './generated.ts'

const page = (kind: string, schema: object): GeneratedFile => ({
  path: `docs/reference/${kind}.schema.json`,
  content: `${JSON.stringify(schema, undefined, 2)}\n`,
})

export const schemaPage = (): GeneratedFile[] => [
  page('train', trainSpecSchema()),
  page('rl', rlSpecSchema()),
  page('evaluate', evaluateSpecSchema()),
  page('release', releaseSpecSchema()),
  page('sweep', sweepSpecSchema()),
  page('job', jobSpecSchema()),
  page('serve', serveSpecSchema()),
  page('access', accessSpecSchema()),
  page('teams', teamsSpecSchema()),
]

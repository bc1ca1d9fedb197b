// `ironlaw get releases`: what was decided about versions, and how their rollouts ended.

import type { ReleaseCount, Releases } from '@ironlaw/contracts/model-registry'
import { counted } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { shortId } from '../artifact/artifacts.ts'
import { context } from '../context/context.ts'
import { showDuration } from '../run/run-text.ts'
import { table } from '../table.ts'

type ReleasesFlags = { readonly project?: string; readonly limit: string }

export async function releasesAnswer({ project = 'default', limit }: ReleasesFlags): Promise<CommandAnswer> {
  const releases = await api(context()).listReleases({ project, query: { limit: Number(limit) } })
  const now = Date.now() / 1000
  return {
    json: releases,
    text: () =>
      releases.items.length === 0 ? `project ${project} has no rollout of a version that was judged before` : releasesText(releases, now),
    ...(releases.unjudged > 0 && {
      notes: [`${counted(releases.unjudged, 'rollout')} of versions that nothing was decided about on evidence`],
    }),
  }
}

const releasesText = ({ items, summary }: Releases, now: number): string =>
  [
    table(
      ['VERSION', 'OFFLINE', 'PRODUCTION', 'WHERE', 'AGE', 'WHY'],
      items.map(({ names, version, offline, production, deployment, revision, ended_at, why, ordered_by }) => [
        names[0] ?? shortId(version),
        offline,
        production,
        `${deployment} revision ${revision}`,
        showDuration(now - ended_at),
        ordered_by === undefined ? why : `ordered by ${ordered_by}`,
      ]),
    ),
    '',
    ...summaryLines(summary),
  ].join('\n')

/** As `npm run e2e:release` prints them too. */
function summaryLines({ released, waived, refused, misses, false_alarms, ordered }: Releases['summary']): readonly string[] {
  return [
    `${promotedText(released, 'that the suite released')}; ${misses} missed`,
    refused.rollouts === 0
      ? '0 that it refused were rolled out: nothing says how many false alarms there are'
      : `${promotedText(refused, 'that it refused')}; ${counted(false_alarms, 'false alarm')}`,
    ...(waived.rollouts === 0 ? [] : [promotedText(waived, 'that were waived')]),
    ...(ordered === 0 ? [] : [`${counted(ordered, 'rollout')} ended by order, not counted`]),
  ]
}

const promotedText = ({ rollouts, promoted, share }: ReleaseCount, which: string): string =>
  `${promoted} of ${rollouts} ${which} were promoted${share ? `: ${percent(promoted / rollouts)} (${percent(share.low)} to ${percent(share.high)})` : ''}`

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

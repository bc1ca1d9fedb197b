// What one run may report: a token of a run is readable by the job's own code, so whatever is behind it may send without end.

import { OverLimit, type Rate, RateLimit } from './rate-limit.ts'

/** The head agent reports once a second for the whole job; without a head every node does, and after an outage all of them at once. */
const REPORTS: Rate = { perSecond: 50, burst: 2000 }
/** Steps of a millisecond, and a day's spool of ordinary ones after an outage. */
const STEPS: Rate = { perSecond: 1000, burst: 100_000 }

/** Enough for 5,000 idle agents at their assigned interval (announce-interval.ts), and for every agent of a large run at once. */
const ANNOUNCEMENTS: Rate = { perSecond: 1000, burst: 10_000 }

export type ReportLimits = {
  readonly mustAllow: (run: string, steps: number) => void
  readonly mustAllowAnnouncement: (run: string) => void
}

export function reportLimits(now_s: () => number = () => performance.now() / 1000): ReportLimits {
  const reports = new RateLimit(REPORTS, now_s)
  const steps = new RateLimit(STEPS, now_s)
  const announcements = new RateLimit(ANNOUNCEMENTS, now_s)
  return {
    mustAllow: (run, rows) => {
      const wait_s = reports.wait_s(run)
      if (wait_s > 0) throw new OverLimit('reports of one run', REPORTS, wait_s)
      const rowsWait_s = rows === 0 ? 0 : steps.wait_s(run, rows)
      if (rowsWait_s > 0) throw new OverLimit('steps of one run', STEPS, rowsWait_s)
      reports.take(run)
      steps.take(run, rows)
    },
    mustAllowAnnouncement: (run) => {
      const wait_s = announcements.wait_s(run)
      if (wait_s > 0) throw new OverLimit('announcements of one run', ANNOUNCEMENTS, wait_s)
      announcements.take(run)
    },
  }
}

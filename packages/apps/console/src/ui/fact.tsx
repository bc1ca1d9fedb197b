// One number of a headline.

import type { ReactNode } from 'react'

export const Fact = ({
  label,
  value,
  about,
}: {
  readonly label: string
  readonly value: ReactNode
  readonly about: ReactNode
}): ReactNode => (
  <div>
    <dt>{label}</dt>
    <dd>{value}</dd>
    <dd className="quiet">{about}</dd>
  </div>
)

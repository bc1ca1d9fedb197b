import type { ReactNode } from 'react'
import type { Problem } from '../runs/api.ts'

export const Refusal = ({ problem }: { readonly problem: Problem }): ReactNode => (
  <div className="refused" role="alert">
    <strong>{problem.title}</strong>
    <p>{problem.next}</p>
  </div>
)

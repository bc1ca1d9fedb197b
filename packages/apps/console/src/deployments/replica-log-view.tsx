// The log of a replica's engine, also after the replica has ended.

import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { type ReactNode, useState } from 'react'
import { call } from '../runs/api.ts'
import { useLog } from '../runs/use-log.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Select } from '../ui/fields.tsx'

const replicaNumber = (id: string): string => id.split('.').at(-1) ?? id

export function ReplicaLogView({ deployment }: { readonly deployment: DeploymentView }): ReactNode {
  const { id, replicas, gone = [] } = deployment
  const [chosen, setChosen] = useState<string>()
  const options = [
    ...replicas.map((replica) => ({ id: replicaNumber(replica.id), name: `#${replicaNumber(replica.id)} ${replica.state}` })),
    ...gone.map((replica) => ({ id: replicaNumber(replica.id), name: `#${replicaNumber(replica.id)} gone` })),
  ]
  const number = options.find((option) => option.id === chosen)?.id ?? options[0]?.id
  if (number === undefined)
    return (
      <Card title="Engine log" wide>
        <Empty>No replica has been started yet.</Empty>
      </Card>
    )
  const isOver = !replicas.some((replica) => replicaNumber(replica.id) === number)
  return (
    <Card title="Engine log" wide aside={<Select label="Replica" value={number} options={options} onChange={setChosen} />}>
      <Log deployment={id} isOver={isOver} number={number} />
    </Card>
  )
}

type LogProps = { readonly deployment: string; readonly isOver: boolean; readonly number: string }

function Log({ deployment, isOver, number }: LogProps): ReactNode {
  const log = useLog((offset) => call('readReplicaLog', { name: deployment, replica: Number(number), query: { offset } }), {
    of: `${deployment} ${number}`,
    isOver,
  })
  return log === '' ? (
    <Empty>No output yet.</Empty>
  ) : (
    <pre tabIndex={0} aria-label={`Log of replica ${number}`}>
      {log}
    </pre>
  )
}

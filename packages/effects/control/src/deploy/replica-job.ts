// A replica as a job: one engine on one node, which writes its address to a file on storage that all nodes share.

import { join } from 'node:path'
import type { Replica, Revision } from '@ironlaw/contracts'
import { MODEL_VERSION_DIGEST, SERVED_VERSION, VERSION_PLACE } from '@ironlaw/contracts/model-version'
import type { JobSpec } from '@ironlaw/executors'
import { singleNodeKind } from '@ironlaw/policies/run'
import { resourcesOf } from '../reconcile/job-resources.ts'
import { secretVariables } from '../secrets/deliver.ts'
import { tlsDirectory } from './replica-certificates.ts'
import type { Site } from '../reconcile/site.ts'

/** What of a site concerns replicas. */
export type ReplicaSite = Pick<Site, 'runs' | 'accelerators' | 'pythonPath' | 'requireSignature' | 'artifacts'> & {
  /** Replicas get certificates, and engines that can use them do. */
  readonly secureReplicas?: boolean
}

export const replicaDirectory = ({ runs }: Pick<Site, 'runs'>, replica: string): string => join(runs, 'replicas', replica)

/** Holds the URL and, on a second line, the replica's token; put there atomically (written to a file next to it and renamed). */
export const endpointFile = (site: Pick<Site, 'runs'>, replica: string): string => join(replicaDirectory(site, replica), 'endpoint')

/** Where `python3 -m ironlaw.replica` is found, behind what the revision names. */
function pythonPath({ pythonPath: sdk }: ReplicaSite, { environment }: Revision): Readonly<Record<string, string>> {
  const folders = [environment['PYTHONPATH'], sdk].filter((each) => each !== undefined && each !== '')
  return folders.length > 0 ? { PYTHONPATH: folders.join(':') } : {}
}

const versionedArgv = ({ argv, version }: Revision): readonly string[] =>
  version ? argv.map((word) => word.replaceAll(VERSION_PLACE, version.artifact)) : argv

export function replicaJob(site: ReplicaSite, { id, token, excluded = [], deviceKind }: Replica, revision: Revision): JobSpec {
  return {
    key: id,
    nodes: 1,
    processesPerNode: revision.processesPerReplica,
    ...resourcesOf(site, revision, revision.devices && (deviceKind ?? singleNodeKind(revision.devices, site.accelerators ?? [], []))),
    exclude: excluded,
    argv: versionedArgv(revision),
    env: {
      ...revision.environment,
      ...secretVariables(replicaDirectory(site, id), revision.secrets),
      ...pythonPath(site, revision),
      ...(site.requireSignature !== undefined && { IRONLAW_REQUIRE_SIGNATURE: site.requireSignature }),
      ...(revision.version && { [MODEL_VERSION_DIGEST]: revision.version.digest, [SERVED_VERSION]: revision.version.artifact }),
      ...(site.artifacts !== undefined && { IRONLAW_ARTIFACT_STORAGE: site.artifacts }),
      IRONLAW_REPLICA: id,
      ...(site.secureReplicas && { IRONLAW_TLS: tlsDirectory(replicaDirectory(site, id)) }),
      IRONLAW_ENDPOINT_FILE: endpointFile(site, id),
      ...(token !== undefined && { IRONLAW_REPLICA_TOKEN: token }),
    },
    directory: revision.directory,
    // Made by the executor, so the directory of the endpoint is there when the engine starts.
    logDirectory: replicaDirectory(site, id),
  }
}

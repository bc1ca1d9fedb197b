// Operations on secrets. Who may set a secret may have a job print it, so it takes the role that may change deployments.

import * as z from 'zod'
import { page } from './api.ts'
import { operation } from './operation.ts'
import { ROTATE_KEY, ROTATED_KEY, SECRET, SECRET_NAME, SET_SECRET } from './secrets.ts'

const ofProject = z.object({ project: SECRET_NAME })
const ofSecret = z.object({ project: SECRET_NAME, name: SECRET_NAME })

export const SECRETS = {
  listSecrets: operation({
    id: 'listSecrets',
    method: 'GET',
    url: '/v1/projects/:project/secrets',
    need: { role: 'operator', scope: 'project' },
    summary: 'Names and versions of the secrets of a project, never their values',
    schema: { params: ofProject, response: { 200: page(SECRET) } },
  }),
  setSecret: operation({
    id: 'setSecret',
    method: 'PUT',
    url: '/v1/projects/:project/secrets/:name',
    need: { role: 'operator', scope: 'project' },
    summary: 'Set the value of a secret; jobs that start from now on get it',
    schema: { params: ofSecret, body: SET_SECRET, response: { 200: SECRET } },
  }),
  deleteSecret: operation({
    id: 'deleteSecret',
    method: 'DELETE',
    url: '/v1/projects/:project/secrets/:name',
    need: { role: 'operator', scope: 'project' },
    summary: 'Delete a secret with all its versions; jobs that have it keep it',
    schema: { params: ofSecret, response: { 204: z.null() } },
  }),
  rotateSecretsKey: operation({
    id: 'rotateSecretsKey',
    method: 'POST',
    url: '/v1/secrets-key/rotate',
    need: { role: 'admin', scope: 'site' },
    summary: 'Wrap the secrets of all projects with a new key',
    schema: { body: ROTATE_KEY, response: { 200: ROTATED_KEY } },
  }),
}

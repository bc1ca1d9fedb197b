// Who may ask the gateways of a control plane, and how models are served there: kind Access. A separate entry point, as everything that
// loads zod.

import * as z from 'zod'
import { GATEWAY_CONFIG, type GatewayConfig, checkTenants } from './gateway-snapshot.ts'
import { parseSpec, type SpecFormat } from './spec-format.ts'

const SPEC = z
  .strictObject({
    apiVersion: z.literal('ironlaw/v1').describe('Version of this format'),
    kind: z.literal('Access').describe('Tenants and keys of the gateways'),
    based_on: z
      .string()
      .max(200)
      .exactOptional()
      .describe(
        'ETag of the document that this one is based on, as shown by "ironlaw get access"; the change is rejected if the document has changed since',
      ),
    ...GATEWAY_CONFIG.shape,
  })
  .superRefine(checkTenants)
  .meta({ title: 'Ironlaw access', description: 'Who may use the gateways: kind Access of ironlaw/v1' })

const FORMAT: SpecFormat<typeof SPEC> = { schema: SPEC, fields: { '': Object.keys(SPEC.shape) } }

export type AccessSpec = { readonly config: GatewayConfig; readonly basedOn?: string }

export function parseAccessSpec(value: unknown, file: string): AccessSpec {
  const { apiVersion: _, kind: __, based_on, ...config } = parseSpec(FORMAT, value, file)
  return { config, ...(based_on !== undefined && { basedOn: based_on }) }
}

export const accessSpecSchema = (): z.core.JSONSchema.BaseSchema => z.toJSONSchema(SPEC, { io: 'input' })

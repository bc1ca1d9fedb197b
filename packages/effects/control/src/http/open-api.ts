// The OpenAPI 3.1 document, made from the operations themselves.

import { fastifySwagger } from '@fastify/swagger'
import { allProblems, IronlawError } from '@ironlaw/contracts'
import { readValue } from '@ironlaw/contracts/read-value'
import type { Operation } from '@ironlaw/contracts/operation'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { fastify, type FastifyInstance, type FastifySchema, type FastifySchemaCompiler } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject, serializerCompiler } from 'fastify-type-provider-zod'
import type * as z from 'zod'
import { route } from './operation.ts'

/** Instead of the library's own, which lets through what zod throws. */
const validatorCompiler: FastifySchemaCompiler<z.core.$ZodType> =
  ({ schema, httpPart = 'request' }) =>
  (data) => {
    const read = readValue(schema, data)
    if (read.success) return { value: read.data }
    const problems = read.error.issues.map(({ path, message }) => ({ path: [httpPart, ...path].map(String).join('.'), problem: message }))
    return { error: new IronlawError('IL_INVALID', allProblems(problems, httpPart)) }
  }

/** Before the first route is added. */
export async function describeOperations(app: FastifyInstance): Promise<void> {
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Ironlaw control plane',
        version: '1',
        description: 'Every operation needs a bearer token; the scope of its security requirement is the least role that may call it.',
      },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'A token, il_ and 43 characters' } } },
    },
    transform: jsonSchemaTransform,
    transformObject: (made) => withoutUnused(jsonSchemaTransformObject(made)),
  })
}

/** Every schema is made as it comes in and as it goes out; most occur only one way. */
function withoutUnused<Made extends ReturnType<typeof jsonSchemaTransformObject>>(made: Made): Made {
  const text = JSON.stringify(made)
  const schemas = 'components' in made ? made.components?.schemas : undefined
  for (const name of Object.keys(schemas ?? {})) if (!text.includes(`"#/components/schemas/${name}"`)) delete schemas?.[name]
  return made
}

/** The document without a server behind it, for the reference. */
export async function openApiDocument(): Promise<object> {
  const app = fastify({ exposeHeadRoutes: false })
  await describeOperations(app)
  for (const operation of Object.values<Operation>(OPERATIONS)) {
    const { method, url, config, schema } = route(operation)
    const described: FastifySchema = schema
    app.route({ method, url, config, schema: described, handler: () => undefined })
  }
  await app.ready()
  return app.swagger()
}

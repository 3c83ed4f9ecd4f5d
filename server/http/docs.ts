import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { productName } from '#shared/product.ts';

/** Collects the routes that are added from now on; made from the very schemas that validate. */
export async function collectDocs(app: FastifyInstance, options: { baseUrl: URL; cookieName: string }): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: `${productName} API`, version: '1', description: 'What the pages of this installation call.' },
      servers: [{ url: options.baseUrl.origin }],
      components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: options.cookieName } } },
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
}

export function registerDocs(app: FastifyInstance): void {
  app.get('/api/docs', { schema: { hide: true } }, async () => app.swagger());
}

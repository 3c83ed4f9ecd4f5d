import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstBytes, keepError } from '#server/platform/streams/streams.ts';

/** Quickly rather than small: texts shrink to less than half at the first level. */
const level = constants.Z_BEST_SPEED;

/**
 * Sends a JSON list while it is made, compressed if the caller accepts gzip. The first item is made before the headers leave, so
 * that a failure until then becomes an error. A later failure breaks the connection, so the caller never takes a part for the
 * whole. Making stops if the caller leaves.
 */
export async function sendJsonList(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  items: AsyncIterable<unknown>,
): Promise<FastifyReply> {
  const content = keepError(Readable.from(listText(items), { objectMode: false }));
  reply.raw.once('close', () => content.destroy());
  await firstBytes(content);
  reply.type('application/json; charset=utf-8').header('vary', 'Accept-Encoding');
  if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return reply.send(content);
  // An error of the content ends the compressed stream too, and reaches the log by it.
  const compressed = pipeline(content, createGzip({ level }), () => undefined);
  return reply.header('content-encoding', 'gzip').send(compressed);
}

async function* listText(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[';
  for await (const item of items) {
    yield before + JSON.stringify(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

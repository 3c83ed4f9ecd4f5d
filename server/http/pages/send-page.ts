import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Pages are compressed for each answer, so quickly rather than small. The first that looks for more than the next best: 0.3 ms. */
export const brotliQuality = 5;

/** With `no-referrer` a form says that it comes from nowhere (`Origin: null`), and browsers that say nothing else would be refused. */
export const formReferrer = 'same-origin';

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Sends a page, compressed for its browser, and never cached. */
export async function sendPage(request: FastifyRequest, reply: FastifyReply, markup: string): Promise<FastifyReply> {
  const page = Buffer.from(markup);
  reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    // The cookie decides between two pages at one address, so caches must vary by it.
    .header('vary', 'Cookie, Accept-Encoding');
  const accepted = request.headers['accept-encoding'] ?? '';
  if (/\bbr\b/.test(accepted)) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: page.length };
    return reply.header('content-encoding', 'br').send(await brotli(page, { params }));
  }
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(await gzipped(page));
  return reply.send(page);
}

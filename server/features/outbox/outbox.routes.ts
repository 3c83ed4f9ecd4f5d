import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isFromContainerHost, isFromThisMachine } from '#server/http/this-machine.ts';
import { notFound } from '#shared/contract/errors.ts';
import { mailSandbox, outboxEntryPage, outboxListPage, outboxMail } from './outbox.page.ts';
import { type Outbox, outboxPagesMax } from './outbox.service.ts';

const listQuery = z.object({ page: z.coerce.number().int().min(1).max(outboxPagesMax).catch(1) });
const entryParams = z.object({ id: z.uuid() });

/** The machine that runs our container: where it is seen from inside, and what it has to show besides, which our start has printed. */
export type ContainerHost = { gateway: string; key: string };

const keyCookie = 'outbox-key';

/**
 * Adds `/outbox`, where a newcomer reads the mail that has nowhere to go. It holds everybody's links, so it exists
 * only while there is an outbox, and answers only to a browser on this machine, or on the one that runs our container and has
 * the key. To all others it is not there.
 */
export function registerOutbox(
  app: FastifyInstance,
  { outbox, containerHost = null }: { outbox: Outbox | null; containerHost?: ContainerHost | null },
): void {
  if (!outbox) return;

  app.register(async (local) => {
    local.addHook('onRequest', async (request, reply) => {
      if (!isFromThisMachine(request) && !isFromHost(request, containerHost)) throw notFound();
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
    });

    local.get('/outbox', async (request, reply) => {
      if (containerHost && keyIn(request) === containerHost.key) {
        // Out of the address, which the browser would remember.
        reply.header('set-cookie', `${keyCookie}=${containerHost.key}; Path=/outbox; HttpOnly; SameSite=Strict`);
        return reply.redirect('/outbox');
      }
      const { page } = listQuery.parse(request.query);
      const nonce = showPage(reply);
      return outboxListPage({ ...(await outbox.list(page)), page, nonce });
    });

    local.get('/outbox.json', async (request) => {
      const { page } = listQuery.parse(request.query);
      const { entries } = await outbox.list(page);
      return entries.map(({ html: _, ...entry }) => entry);
    });

    local.get('/outbox/:id', async (request, reply) => {
      const entry = await outbox.read(idOf(request));
      return outboxEntryPage({ entry, nonce: showPage(reply) });
    });

    local.get('/outbox/:id/html', async (request, reply) => {
      const mail = outboxMail(await outbox.read(idOf(request)));
      if (mail === null) throw notFound();
      return showMail(reply).send(mail);
    });
  });
}

function isFromHost(request: FastifyRequest, host: ContainerHost | null): boolean {
  if (!host || !isFromContainerHost(request, host.gateway)) return false;
  const cookies = (request.headers.cookie ?? '').split('; ');
  return keyIn(request) === host.key || cookies.includes(`${keyCookie}=${host.key}`);
}

function keyIn(request: FastifyRequest): unknown {
  return (request.query as { key?: unknown }).key;
}

function idOf(request: FastifyRequest): string {
  const params = entryParams.safeParse(request.params);
  if (!params.success) throw notFound();
  return params.data.id;
}

/** Our own page: one style of ours, the site's typefaces, and a frame from here. Gives the nonce of that style. */
function showPage(reply: FastifyReply): string {
  const nonce = randomBytes(16).toString('base64');
  reply
    .type('text/html; charset=utf-8')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'nonce-${nonce}'; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  return nonce;
}

/** A mail: its own inline styles, and nothing that runs or is fetched. Only our page may frame it. */
function showMail(reply: FastifyReply): FastifyReply {
  return (
    reply
      // A sandboxed document has no origin to give an agent cluster of its own, and browsers complain when asked.
      .removeHeader('origin-agent-cluster')
      .type('text/html; charset=utf-8')
      .header('x-frame-options', 'SAMEORIGIN')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox ${mailSandbox}`,
      )
  );
}

import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { App } from '#server/app.ts';
import { isFromContainerHost, isFromThisMachine } from '#server/http/this-machine.ts';
import { notFound } from '#shared/contract/errors.ts';
import { mailSandbox, outboxEntryPage, outboxListPage, outboxMail } from './outbox.page.ts';
import { hasOutbox, listOutbox, outboxPagesMax, readOutbox } from './outbox.ts';

const listQuery = z.object({ page: z.coerce.number().int().min(1).max(outboxPagesMax).catch(1) });
const entryParams = z.object({ id: z.uuid() });

/** The host of our container: its address from inside, and the key that our start has printed. */
export type ContainerHost = { gateway: string; key: string };

const keyCookie = 'outbox-key';

/**
 * Adds `/outbox`, in which a developer reads mail of an installation without a mail server. It shows every user's
 * links, so it exists only in such an installation. It answers only to a browser on this machine, or on the host of our
 * container if it has the key. All others get 404.
 */
export function registerOutbox(http: FastifyInstance, app: App, containerHost: ContainerHost | null = null): void {
  if (!hasOutbox(app)) return;

  http.register(async (local) => {
    local.addHook('onRequest', async (request, reply) => {
      if (!isFromThisMachine(request) && !isFromHost(request, containerHost)) throw notFound();
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
    });

    local.get('/outbox', async (request, reply) => {
      if (containerHost && keyIn(request) === containerHost.key) {
        // Removes the key from the address, which the browser would remember.
        reply.header('set-cookie', `${keyCookie}=${containerHost.key}; Path=/outbox; HttpOnly; SameSite=Strict`);
        return reply.redirect('/outbox');
      }
      const { page } = listQuery.parse(request.query);
      const nonce = showPage(reply);
      return outboxListPage({ ...(await listOutbox(app, page)), page, nonce });
    });

    local.get('/outbox.json', async (request) => {
      const { page } = listQuery.parse(request.query);
      const { entries } = await listOutbox(app, page);
      return entries.map(({ html: _, ...entry }) => entry);
    });

    local.get('/outbox/:id', async (request, reply) => {
      const entry = await readOutbox(app, idOf(request));
      return outboxEntryPage({ entry, nonce: showPage(reply) });
    });

    local.get('/outbox/:id/html', async (request, reply) => {
      const mail = outboxMail(await readOutbox(app, idOf(request)));
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

/** Allows one style of ours, the site's typefaces, and a frame from here. Returns the nonce of that style. */
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

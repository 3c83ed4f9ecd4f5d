import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { deleteAccount, restoreAccount } from '#shared/contract/deletion.ts';
import type { Deletions } from './deletion.service.ts';

export function registerDeletionRoutes(app: FastifyInstance, deletions: Deletions): void {
  bind(app, deleteAccount, async ({ principal, origin, body, reply }) => {
    await deletions.requestByOwner({ principal, origin }, { password: body?.password, letters: body?.letters });
    app.http.sessionCookie.clear(reply);
  });

  bind(app, restoreAccount, ({ principal, origin }) => deletions.restore({ principal, origin }));
}

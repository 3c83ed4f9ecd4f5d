import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { listFailedMails, retryFailedMail as retryRoute } from '#shared/contract/operator/failed-mails.ts';
import { type FailedMailDependencies, failedMails, retryFailedMail } from './failed-mail.service.ts';

/** Emails that failed, for the designated administrator. */
export function registerFailedMailRoutes(app: FastifyInstance, deps: FailedMailDependencies): void {
  bind(app, listFailedMails, ({ principal, origin, query }) => failedMails(deps, { principal, origin }, query));

  bind(app, retryRoute, ({ principal, origin, params }) => retryFailedMail(deps, { principal, origin }, params.id));
}

import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { closeComplaint, listComplaints, sendComplaint } from '#shared/contract/complaints.ts';
import type { Complaints } from './complaints.service.ts';

const received =
  'We have your complaint. A receipt is on its way to your mailbox, and you hear from us what came of it.';

/** The form for everybody, and what the administrator reads and answers of it. */
export function registerComplaintRoutes(app: FastifyInstance, complaints: Complaints): void {
  bind(app, sendComplaint, async ({ principal, origin, body }) => ({
    message: received,
    reference: await complaints.receive({ principal, origin }, body),
  }));

  bind(app, listComplaints, ({ principal, origin, query }) => complaints.list({ principal, origin }, query.after));

  bind(app, closeComplaint, ({ principal, origin, params }) => complaints.close({ principal, origin }, params.id));
}

import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import {
  answerInvitation,
  createContact,
  deleteContact,
  getInvitation,
  listContacts,
  resendInvitation,
  updateContact,
} from '#shared/contract/contacts.ts';
import { longDate } from './contacts.emails.ts';
import type { Contacts } from './contacts.service.ts';

export function registerContactsRoutes(app: FastifyInstance, contacts: Contacts): void {
  bind(app, listContacts, ({ principal }) => contacts.list(principal));
  bind(app, createContact, ({ principal, origin, body }) => contacts.create({ principal, origin }, body));
  bind(app, updateContact, ({ principal, origin, params, body }) =>
    contacts.update({ principal, origin, id: params.id }, body),
  );
  bind(app, deleteContact, ({ principal, origin, params }) => contacts.remove({ principal, origin, id: params.id }));
  bind(app, resendInvitation, async ({ principal, origin, params }) => {
    const { leavesAt, isWaiting } = await contacts.resendInvitation({ principal, origin, id: params.id });
    const when = isWaiting
      ? `We send only a few invitations at a time, so it goes out on ${longDate(leavesAt)}.`
      : 'The invitation is on its way.';
    return { message: `${when} Earlier links no longer work.` };
  });

  bind(app, getInvitation, ({ params }) => contacts.readInvitation(params.token));
  bind(app, answerInvitation, ({ params, body, origin }) =>
    contacts.answerInvitation({ token: params.token, accept: body.accept, origin }),
  );
}

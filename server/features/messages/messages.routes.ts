import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { confirmAddress, listOldAddresses } from '#shared/contract/letters/addresses.ts';
import {
  addEnclosure,
  addOriginal,
  getEnclosure,
  removeEnclosure,
  removeOriginal,
  updateEnclosure,
} from '#shared/contract/letters/enclosures.ts';
import {
  createMessage,
  createMessageWithAttachment,
  deleteMessage,
  downloadAttachment,
  listMessages,
  updateMessage,
  updateMessageWithAttachment,
} from '#shared/contract/messages.ts';
import type { Messages } from './messages.service.ts';

export function registerMessagesRoutes(app: FastifyInstance, messages: Messages): void {
  bind(app, listMessages, ({ principal }) => messages.list(principal));
  bind(app, createMessage, ({ principal, origin, body }) => messages.create({ principal, origin }, body));
  bind(app, updateMessage, ({ principal, origin, params, body }) =>
    messages.update({ principal, origin, id: params.id }, body),
  );
  bind(app, deleteMessage, ({ principal, origin, params }) => messages.remove({ principal, origin, id: params.id }));
  bind(app, createMessageWithAttachment, ({ principal, origin, upload }) =>
    messages.createWithAttachment({ principal, origin }, upload),
  );
  bind(app, updateMessageWithAttachment, ({ principal, origin, params, upload }) =>
    messages.updateWithAttachment({ principal, origin, id: params.id }, upload),
  );
  bind(app, listOldAddresses, ({ principal }) => messages.oldAddresses(principal));
  bind(app, confirmAddress, async ({ principal, origin, body }) => {
    await messages.confirmAddress({ principal, origin }, body.email);
    return { ok: true as const };
  });

  bind(app, addEnclosure, ({ principal, origin, params, query, upload }) =>
    messages.enclose({ principal, origin, ...params, ...query }, upload),
  );
  bind(app, getEnclosure, ({ principal, params }) => messages.enclosure(principal, params.id, params.enclosureId));
  bind(app, updateEnclosure, ({ principal, origin, params, body }) =>
    messages.changeEnclosure({ principal, origin, ...params }, body),
  );
  bind(app, addOriginal, ({ principal, origin, params, upload }) =>
    messages.keepOriginal({ principal, origin, ...params }, upload),
  );
  bind(app, removeOriginal, ({ principal, origin, params }) =>
    messages.removeOriginal({ principal, origin, ...params }),
  );
  bind(app, removeEnclosure, ({ principal, origin, params }) =>
    messages.removeEnclosure({ principal, origin, ...params }),
  );
  bind(app, downloadAttachment, ({ principal, params }) => messages.attachment(principal, params.id));
}

import type { Principal } from '#server/features/accounts/accounts.service.ts';
import type { MessageInput, Messages } from './messages.service.ts';
import { nowhere } from './vault.test-world.ts';

/** A message as somebody writes it. */
export const input: MessageInput = {
  title: 'For your wedding day',
  content: 'Dear Priya,\nthe ring is in the blue box.',
  recipientEmail: 'priya@example.org',
  category: 'personal',
  status: 'draft',
  visibleToTrustedContact: false,
};

export function writeMessage(messages: Messages, principal: Principal, change: Partial<MessageInput> = {}) {
  return messages.create({ principal, origin: nowhere }, { ...input, ...change });
}

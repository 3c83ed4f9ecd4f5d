import type { z } from 'zod';
import type { messageBody, messageForm } from '#shared/contract/messages.ts';
import type { LockedMessage } from './messages.repository.ts';

type Given = z.output<typeof messageBody> | z.output<typeof messageForm>;

/** What a new message has where nothing is said of it. */
export const untold = { showRecipients: false, deliverOn: null, announceWait: false } as const;

type Choices = Pick<LockedMessage, keyof typeof untold>;

/** What may be left out, and is then as it was. */
export function choicesOf({ showRecipients, deliverOn, announceWait }: Given, before: Choices): Choices {
  return {
    showRecipients: showRecipients ?? before.showRecipients,
    deliverOn: deliverOn === undefined ? before.deliverOn : deliverOn,
    announceWait: announceWait ?? before.announceWait,
  };
}

/** What is stored in the clear. Named one by one, so that a field added to the input is not stored by accident. */
export function settingsOf({ category, status, visibleToTrustedContact }: Given) {
  return { category, status, visibleToTrustedContact };
}

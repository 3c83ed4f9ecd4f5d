import type { z } from 'zod';
import type { messageBody, messageForm } from '#shared/contract/messages.ts';
import type { LockedMessage } from './messages.repository.ts';

type Given = z.output<typeof messageBody> | z.output<typeof messageForm>;

/** Defaults of a new message. */
export const defaultChoices = { showRecipients: false, deliverOn: null, announceWait: false } as const;

type Choices = Pick<LockedMessage, keyof typeof defaultChoices>;

/** Choices of a change. Those that it leaves out stay as they were. */
export function choicesOf({ showRecipients, deliverOn, announceWait }: Given, before: Choices): Choices {
  return {
    showRecipients: showRecipients ?? before.showRecipients,
    deliverOn: deliverOn === undefined ? before.deliverOn : deliverOn,
    announceWait: announceWait ?? before.announceWait,
  };
}

/** Fields that are stored in the clear, named one by one: a new field of the input is not stored by accident. */
export function settingsOf({ category, status, visibleToTrustedContact }: Given) {
  return { category, status, visibleToTrustedContact };
}

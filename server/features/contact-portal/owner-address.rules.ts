import { isSameMailbox } from '#shared/rules/addresses/mailboxes.ts';

/** Most addresses that contacts can give in one request, together. Each contact can give one. */
export const addressesPerRequest = 3;

/** A contact and the address that they typed. */
type Given = { contactId: string; mailboxKey: string };
type Before = readonly Given[];

/** State of this contact's right to give another address of the owner. */
export function askedOf(before: readonly Pick<Given, 'contactId'>[], contactId: string): 'asked' | 'given' | 'enough' {
  if (before.some((given) => given.contactId === contactId)) return 'given';
  return before.length < addressesPerRequest ? 'asked' : 'enough';
}

/** A letter that is ready, and whom it is for. */
type Letter = { visibleToTrustedContact: boolean; recipients: readonly { email: string }[] };

export type AddressFacts = {
  ownerEmail: string;
  /** Addresses of active and confirmed contacts. */
  contactEmails: readonly string[];
  messages: readonly Letter[];
};

/**
 * Known person to whom a typed address belongs, as far as the contact may know it. Null if it can be another address of
 * the owner.
 */
export function knownPersonOf(address: string, facts: AddressFacts): 'owner' | 'other' | null {
  const isTyped = (email: string) => isSameMailbox(email, address);
  if (isTyped(facts.ownerEmail)) return 'owner';
  const visible = facts.messages.filter(({ visibleToTrustedContact }) => visibleToTrustedContact);
  return facts.contactEmails.some(isTyped) || isOfReader(address, visible) ? 'other' : null;
}

/** True if a letter is for this mailbox. The answer never reaches a contact who does not see the letter. */
export function isOfReader(address: string, messages: readonly Pick<Letter, 'recipients'>[]): boolean {
  return messages.some(({ recipients }) => recipients.some(({ email }) => isSameMailbox(email, address)));
}

export type AddressStep = { step: 'keep' | 'nothing' } | { refused: 'given' | 'enough' | 'known' };

/** Decides about a given address. The same address from the same contact is a second press of the button. */
export function takeAddress(
  { contactId, mailboxKey }: Given,
  { before, isKnown }: { before: Before; isKnown: boolean },
) {
  const own = before.find((given) => given.contactId === contactId);
  if (own) return own.mailboxKey === mailboxKey ? ({ step: 'nothing' } as const) : ({ refused: 'given' } as const);
  if (before.length >= addressesPerRequest) return { refused: 'enough' } as const;
  return isKnown ? ({ refused: 'known' } as const) : ({ step: 'keep' } as const);
}

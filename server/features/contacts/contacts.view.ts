import type { z } from 'zod';
import { meetVersion, type NamedChange } from '#server/features/versions/versions.rules.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { contactSchema } from '#shared/contract/contacts.ts';
import { changedElsewhere } from '#shared/contract/vault/versions.ts';
import type { ContactRow } from './contacts.repository.ts';
import { openCounted } from './contacts.sealing.ts';

/** A contact as the owner sees it. */
export type OwnersContact = z.output<typeof contactSchema>;

/** Opens a contact for its owner. */
export function shown(vault: Vault, row: ContactRow, now: Date): OwnersContact {
  const { id, email, isActive, isConfirmed, declinedAt, confirmationSentAt: at, confirmedAt, ...names } = row;
  const { createdAt, updatedAt, version, seesFirstWeeks } = names;
  const isWaiting = at !== null && at > now;
  const invitation = { confirmationSentAt: isWaiting ? null : at, invitationLeavesAt: isWaiting ? at : null };
  const asked = { isActive, isConfirmed, hasDeclined: declinedAt !== null, ...invitation, confirmedAt };
  return { id, ...openCounted(vault, id, row), email, ...asked, seesFirstWeeks, createdAt, updatedAt, version };
}

/** True if this very change is stored already. @throws AppError `CHANGED_ELSEWHERE` if another version is stored. */
export function isRepeat(known: ContactRow, change: NamedChange, vault: Vault, now: Date): boolean {
  const meeting = meetVersion(known, change);
  if (meeting === 'refuse') throw changedElsewhere('contact', shown(vault, known, now));
  return meeting === 'repeat';
}

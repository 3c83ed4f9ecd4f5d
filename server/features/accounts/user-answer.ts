import type { getUser } from '#shared/contract/accounts.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { deletionDayOf } from '#shared/rules/retention.ts';
import type { OwnerRow } from './accounts.repository.ts';
import { provenPhone } from './proven-phone.ts';

export type UserAnswer = RouteAnswer<typeof getUser>;

/** The signed-in person as the web knows them. */
export function userAnswerOf(owner: OwnerRow, { isAdministrator }: { isAdministrator: boolean }): UserAnswer {
  const { deletionRequestedAt, isDisowned, ...known } = owner;
  const closing = deletionRequestedAt ? { deletionAt: deletionDayOf(deletionRequestedAt), isDisowned } : {};
  const isMailboxProven = owner.mailboxProvenAt !== null;
  const role = isAdministrator ? 'admin' : owner.role;
  const isPlanOffered = owner.planOfferedAt !== null;
  const isPhoneProven = provenPhone(owner) !== null;
  return { ...known, role, ...closing, isMailboxProven, isPhoneProven, isPlanOffered, isAdministrator };
}

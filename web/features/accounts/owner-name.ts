import type { User } from '#shared/contract/accounts.ts';

/** The name under which a person's letters arrive; empty where they have given none. */
export function ownerNameOf(user: Pick<User, 'firstName' | 'lastName'> | null): string {
  return [user?.firstName, user?.lastName].filter(Boolean).join(' ');
}

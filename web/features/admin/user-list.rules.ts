import type { AdminUser, UserSort } from '#shared/contract/admin.ts';

export type SortChoice = { value: string; label: string; sort: UserSort; direction: 'asc' | 'desc' };

const newestFirst: SortChoice = { value: 'newest', label: 'Newest first', sort: 'createdAt', direction: 'desc' };

/** Sort orders of the user list; the first is the default. */
export const sortChoices: readonly SortChoice[] = [
  newestFirst,
  { value: 'oldest', label: 'Oldest first', sort: 'createdAt', direction: 'asc' },
  { value: 'name', label: 'Name, A to Z', sort: 'name', direction: 'asc' },
  { value: 'email', label: 'Email address, A to Z', sort: 'email', direction: 'asc' },
  { value: 'signed-in', label: 'Signed in most recently', sort: 'lastLoginAt', direction: 'desc' },
  { value: 'silent', label: 'Silent for longest', sort: 'lastCheckinAt', direction: 'asc' },
];

export function sortChoiceOf(value: string): SortChoice {
  return sortChoices.find((choice) => choice.value === value) ?? newestFirst;
}

/** The people who are selected, by id: they stay so on other pages and under other searches. */
export type Selection = ReadonlyMap<string, string>;

type Person = Pick<AdminUser, 'id' | 'email'>;

export function withSelected(selection: Selection, people: readonly Person[], isSelected: boolean): Selection {
  const next = new Map(selection);
  for (const { id, email } of people) {
    if (isSelected) next.set(id, email);
    else next.delete(id);
  }
  return next;
}

/** The name as the list shows it; the address where there is none. */
export function nameOf({ firstName, lastName, email }: Pick<AdminUser, 'firstName' | 'lastName' | 'email'>): string {
  return [firstName, lastName].filter(Boolean).join(' ') || email;
}

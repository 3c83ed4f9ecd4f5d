import type { Message } from '#shared/contract/messages.ts';

/** Longest part of a message that its row shows. */
export const previewLengthMax = 200;

export type CategoryFilter = 'all' | 'personal' | 'legal' | 'financial' | 'instructions';

export const categoryFilters: readonly { value: CategoryFilter; label: string }[] = [
  { value: 'all', label: 'All Categories' },
  { value: 'personal', label: 'Personal' },
  { value: 'legal', label: 'Legal' },
  { value: 'financial', label: 'Financial' },
  { value: 'instructions', label: 'Instructions' },
];

/** Messages of a category whose title, content or one of its recipients holds the words, in any case. */
export function matchingMessages(
  messages: readonly Message[],
  { words, category }: { words: string; category: CategoryFilter },
): Message[] {
  const wanted = words.trim().toLowerCase();
  return messages.filter(
    (message) =>
      isInCategory(message, category) && searched(message).some((text) => text.toLowerCase().includes(wanted)),
  );
}

function searched({ title, content, recipients }: Message): string[] {
  return [title, content, ...recipients.flatMap(({ name, email }) => [name ?? '', email])];
}

function isInCategory(message: Message, filter: CategoryFilter): boolean {
  if (filter === 'all' || message.category === filter) return true;
  // The setup wizard's own category is drawn and found as a personal one.
  return filter === 'personal' && message.category === 'family';
}

/** The beginning of a message, cut at 200 characters. A character of two code units is never cut in half. */
export function previewOf(content: string): string {
  const characters = [...content.slice(0, previewLengthMax * 2)];
  if (characters.length <= previewLengthMax && content.length <= previewLengthMax * 2) return content;
  return `${characters.slice(0, previewLengthMax).join('')}...`;
}

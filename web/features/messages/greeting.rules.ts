type Reader = { name?: string | null | undefined; email?: string };

const together = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/**
 * `Dear Nell and Joss,`. Empty if a name is missing. Also empty for several readers who may not see each other, since
 * the names would reveal them.
 */
export function greetingOf(all: readonly Reader[], showRecipients: boolean): string {
  const readers = all.filter(({ name, email }) => `${name ?? ''}${email ?? ''}`.trim() !== '');
  if (readers.length > 1 && !showRecipients) return '';
  const names = readers.map(({ name }) => name?.trim() ?? '');
  return names.length === 0 || names.includes('') ? '' : `Dear ${together.format(names)},`;
}

/** True if a letter contains only its greeting. */
export function isBlank(content: string, greeting: string): boolean {
  const words = content.trim();
  return words === '' || words === greeting;
}

type Change = {
  /** The greeting that belonged to its readers, and the one that does now. */
  before: string;
  after: string;
  /** True if a greeting was removed because its readers had none. */
  wasTaken?: boolean;
};

/** The letter with the greeting that belongs to its readers now, unless its writer has changed the one that was there. */
export function followGreeting(content: string, { before, after, wasTaken = false }: Change): string {
  if (before === after) return content;
  if (isBlank(content, before)) return after === '' ? '' : `${after}\n\n`;
  if (before === '') return wasTaken ? `${after}\n\n${content}` : content;
  if (!content.startsWith(`${before}\n`)) return content;
  const rest = content.slice(before.length);
  return after === '' ? rest.trimStart() : after + rest;
}

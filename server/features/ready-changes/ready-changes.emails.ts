import { html, isolate, letter, list, type Markup } from '#server/platform/mail/letter.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { productName } from '#shared/product.ts';
import { recentlyDeletedDays } from '#shared/rules/retention.ts';
import { deviceName } from '#shared/rules/sign-in/device-name.ts';
import type { Tally } from './ready-changes.repository.ts';
import { type ReadyChangeKind, readyChangeKinds } from './ready-changes.rules.ts';

/** A reader as the owner wrote them. */
export type NamedReader = { name: string | null; email: string };

export type ReadyChangesFacts = {
  firstName: string | null;
  tallies: readonly Tally[];
  /** Some of the readers that were added to ready messages. */
  readers: readonly NamedReader[];
  /** Number of all readers that were added. */
  readersCount: number;
  /** Names of the browsers; null for a change without a browser. */
  browsers: readonly (string | null)[];
  baseUrl: string;
};

const verbs: Record<ReadyChangeKind, readonly [one: string, more: string]> = {
  ready: ['became ready', 'became ready'],
  readers: ['has other readers', 'have other readers'],
  words: ['has other words', 'have other words'],
  files: ['has other files', 'have other files'],
  day: ['has another day', 'have another day'],
  visibility: ['is now shown to trusted contacts, or no longer', 'are now shown to trusted contacts, or no longer'],
  draft: ['was changed back to a draft', 'were changed back to drafts'],
  deleted: ['was deleted', 'were deleted'],
  restored: ['was restored', 'were restored'],
  forgotten: ['was deleted for good', 'were deleted for good'],
  imported: ['came with an import', 'came with an import'],
};

/**
 * Email about changed ready messages: kinds, numbers, times, devices and added readers. Readers are listed with their
 * addresses, because a letter can be redirected under an unchanged name. The mail has no title and no word of a
 * message.
 */
export function readyChangesEmail(facts: ReadyChangesFacts): { subject: string; html: string; text: string } {
  const { firstName, tallies, browsers, baseUrl } = facts;
  const parts = letter({
    greeting: firstName ? html`Hello ${isolate(firstName)},` : 'Hello,',
    paragraphs: [
      html`Messages in your ${productName} account that are ready to be sent have changed. This email counts the changes, without titles or words.`,
      list(readyChangeKinds.flatMap((kind) => tallies.filter((tally) => tally.kind === kind)).map(tallyLine)),
      ...readersWords(facts),
      ...(browsers.length > 0 ? [html`Devices: ${browsers.map(deviceWords).join(', ')}.`] : []),
      html`If you made these changes, there is nothing to do.`,
      html`If this was not you, sign in and do three things under Privacy & Security: change your password, sign out your other devices, and read your activity. Then check who your messages are for. You can restore a deleted message for ${recentlyDeletedDays} days, unless it was deleted for good.`,
    ],
    action: { label: 'Sign in', url: `${baseUrl}/login` },
    reason: `You get this email because ready messages in your account changed. It comes once a day at most.`,
    baseUrl,
  });
  return { subject: subjectOf(tallies), ...parts };
}

/** The grave changes come first: a thief adds readers or deletes. */
function subjectOf(tallies: readonly Tally[]): string {
  const has = (...kinds: ReadyChangeKind[]) => tallies.some(({ kind }) => kinds.includes(kind));
  if (has('readers')) return 'The readers of your ready messages changed';
  if (has('deleted', 'forgotten')) return 'Ready messages were deleted from your account';
  return 'Your ready messages changed';
}

function tallyLine({ kind, count, firstAt, lastAt }: Tally): string {
  const [one, more] = verbs[kind];
  const noun = count === 1 ? 'message' : 'messages';
  const [from, to] = [timeOf(firstAt), timeOf(lastAt)];
  return `${count} ${noun} ${count === 1 ? one : more}: ${from === to ? from : `${from} to ${to}`}`;
}

function readersWords({ readers, readersCount }: ReadyChangesFacts): Markup[] {
  if (readersCount === 0) return [];
  const rest = readersCount - readers.length;
  const lines = readers.map(({ name, email }) =>
    name ? html`${isolate(name)}, ${isolate(email)}` : html`${isolate(email)}`,
  );
  // Readers that were removed again, or whose message is damaged, have no address to show.
  const others = rest > 0 ? [`${rest} ${readers.length > 0 ? 'more' : 'in total'}, not listed here`] : [];
  return [
    html`${readersCount === 1 ? 'One reader was' : `${readersCount} readers were`} added to ready messages:`,
    list([...lines, ...others]),
  ];
}

function deviceWords(browser: string | null): string {
  return browser === null ? 'no browser (the operator, or a program)' : deviceName(browser);
}

const timeForm = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/London', hour: '2-digit', minute: '2-digit' });

function timeOf(at: Date): string {
  return `${timeForm.format(at)} (UK time) on ${longDate(at)}`;
}

import type { Claim } from '#server/features/release-state/command-context.ts';
import { html, list } from '#server/platform/mail/letter.ts';
import { addressed, claimLines, type Mail, ownerMail } from './release.emails.ts';
import { dayAndTime, plural } from './release.words.ts';

/** A stranger or a contact used the emergency form, and nothing began. `why` is a whole sentence. */
export function ownerClaimEmail(owner: { firstName: string; baseUrl: string; claim: Claim; why: string }): Mail {
  return ownerMail(owner, {
    subject: addressed(owner.firstName, 'somebody used the emergency form'),
    paragraphs: [
      html`Somebody asked us to release your messages early, and gave the address of one of your trusted contacts. ${owner.why}`,
      html`If this worries you, sign in and look at your trusted contacts. Signing in also tells us that you are there.`,
    ],
    action: { label: 'See your trusted contacts', url: `${owner.baseUrl}/contacts` },
    after: claimLines(owner.claim),
  });
}

/** One use of the emergency form, and its result as a whole sentence. */
export type FormUse = { at: Date; result: string };

/** Email about all further uses of the form within a day of the first one. It quotes no typed text. */
export function ownerFormUsesEmail(owner: {
  firstName: string;
  baseUrl: string;
  uses: readonly FormUse[];
  count: number;
}): Mail {
  const { uses, count } = owner;
  const more = count - uses.length;
  return ownerMail(owner, {
    subject: addressed(owner.firstName, 'the emergency form was used again'),
    paragraphs: [
      html`After our last email about the emergency form, it was used ${count === 1 ? 'once more' : `${count} more times`} within a day. This one email lists ${count === 1 ? 'that use' : 'them'}, without the words that were typed.`,
      list(uses.map(({ at, result }) => `${dayAndTime(at)}: ${result}`)),
      ...(more > 0
        ? [
            html`The list leaves out ${plural(more, 'earlier use')}. Your activity under Privacy & Security shows all of them.`,
          ]
        : []),
      html`If this worries you, sign in and look at your trusted contacts. Signing in also tells us that you are there.`,
    ],
    action: { label: 'See your trusted contacts', url: `${owner.baseUrl}/contacts` },
  });
}

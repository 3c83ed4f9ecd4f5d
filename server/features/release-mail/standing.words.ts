import { termsAtOpening, termsOf } from '#server/features/release-core/facts.rules.ts';
import { daysToAnswer } from '#server/features/release-core/forecast.rules.ts';
import type { World } from '#server/features/release-core/model.rules.ts';
import { html, isolate, type Markup } from '#server/platform/mail/letter.ts';
import { joinNames, numberWord, plural } from './release.emails.ts';

/** One sentence, in parts, so that a mail can keep the names in it apart from its own direction of writing. */
export type Standing = { before: string; names: readonly string[]; after: string };

/**
 * What a release would be as things stand, from every fact there is: the one sentence that dashboard, settings, rehearsal
 * and mails say.
 *
 * @param contactNames first names of those who would be asked.
 */
export function standingOf(world: World, contactNames: readonly string[]): Standing {
  const { owner, readyLetters, visibleDocuments, contacts, stops } = world;
  const letters = readyLetters.length;
  const isByPeople = owner.method === 'trusted_contact';
  if (!owner.isVerified)
    return alone('Your email address is not confirmed yet. Until it is, nothing is sent to anybody.');
  if (stops.isFrozen || stops.isSilenceStopped) {
    return alone('Releases are stopped for now by the people who run this service. Until they go on, nothing is sent.');
  }
  if (contacts.length === 0 && isByPeople) {
    return alone(
      'Nobody has said yes yet. As things stand, nothing could be sent, since only your contacts could start it.',
    );
  }
  if (letters === 0 && visibleDocuments === 0) {
    return alone('No letter is ready yet. As things stand, nobody would be asked, and nothing would be sent.');
  }
  const go = letters === 1 ? 'your letter goes' : `your ${letters} letters go`;
  if (contacts.length === 0) {
    return letters === 0
      ? alone('No letter is ready yet, and nobody has said yes. As things stand, nothing would be sent.')
      : alone(
          `Nobody has said yes yet. As things stand, we would write to you twice, and then ${go} without anybody being asked.`,
        );
  }
  const before = 'As things stand, we would write to you twice and then ask ';
  if (letters === 0) {
    return {
      before,
      names: contactNames,
      after: ', who could read the documents you show them. No letter would be sent.',
    };
  }
  if (isByPeople) return { before, names: contactNames, after: `. ${capital(go)} only once ${whoConfirms(world)}.` };
  const days = daysToAnswer(world, termsOf(world));
  const after =
    days === 0 ? `, and ${go} soon after.` : `. If there is no answer within ${plural(days, 'day')}, ${go}.`;
  return { before, names: contactNames, after };
}

/** The sentence as a page shows it. */
export function standingSentence({ before, names, after }: Standing): string {
  return `${before}${joinNames(names)}${after}`;
}

/** The same as a paragraph of a mail. */
export function standingLine({ before, names, after }: Standing): Markup {
  return names.length === 0 ? html`${before}` : html`${before}${isolate(joinNames(names))}${after}`;
}

const alone = (before: string): Standing => ({ before, names: [], after: '' });

function whoConfirms(world: World): string {
  const { needed } = termsAtOpening(termsOf(world), world);
  if (world.contacts.length === 1) return 'this contact confirms';
  return `${numberWord(needed)} of them ${needed === 1 ? 'confirms' : 'confirm'}`;
}

function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

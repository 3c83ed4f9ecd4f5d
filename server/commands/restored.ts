import type { Freezes } from '#server/features/release/release-freeze.ts';
import { plural } from '#server/features/release-mail/release.words.ts';
import { productSlug } from '#shared/product.ts';

type Restored = NonNullable<Freezes['restored']>;

const hourMs = 3_600_000;
const hoursOfDay = 24;
const letGo = `${productSlug} release resume`;

/** Lines about everything that is paused after a restore, and how it continues. One sentence a line. */
export function restoredLines(restored: Restored): string[] {
  return [`Waiting: ${whatWaits(restored)}.`, nextStep(restored)];
}

function whatWaits({ ownersAsked, ownersReleasing, lettersWaiting }: Restored): string {
  const waiting = [
    ...(ownersAsked > 0 ? [`${plural(ownersAsked, 'owner')} about whom contacts were asked`] : []),
    ...(ownersReleasing > 0 ? [`${plural(ownersReleasing, 'owner')} whose letters were on their way`] : []),
    ...(lettersWaiting > 0 ? [plural(lettersWaiting, 'letter')] : []),
  ];
  return waiting.length > 0 ? waiting.join(', ') : 'no release that had reached contacts or recipients';
}

/** Next step for the operator. */
export function nextStep({ hindrance }: Pick<Restored, 'hindrance'>): string {
  if (hindrance?.why === 'not_told') {
    return 'Owners with an open release, and the contacts in it, are emailed first. Start the service, check it, and try again after some minutes.';
  }
  if (hindrance?.why === 'too_soon') {
    return `Owners have been emailed, and have ${timeLeft(hindrance.leftMs)} more of running time to answer. After that, and after your check, run ${letGo}.`;
  }
  return `After your check, run ${letGo}.`;
}

function timeLeft(ms: number): string {
  const hours = Math.max(1, Math.ceil(ms / hourMs));
  if (hours < hoursOfDay) return plural(hours, 'hour');
  const rest = hours % hoursOfDay;
  const days = plural(Math.floor(hours / hoursOfDay), 'day');
  return rest === 0 ? days : `${days} and ${plural(rest, 'hour')}`;
}

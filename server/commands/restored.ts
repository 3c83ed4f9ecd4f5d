import type { Freezes } from '#server/features/release/release-freeze.service.ts';
import { plural } from '#server/features/release-mail/release.words.ts';
import { productSlug } from '#shared/product.ts';

type Restored = NonNullable<Freezes['restored']>;

const hourMs = 3_600_000;
const hoursOfDay = 24;
const letGo = `${productSlug} release resume`;

/** What stands still after a restore, and how it goes on, a sentence a line. */
export function restoredLines(restored: Restored): string[] {
  return [`Waiting: ${whatWaits(restored)}.`, nextStep(restored)];
}

function whatWaits({ ownersAsked, ownersReleasing, lettersWaiting }: Restored): string {
  const waiting = [
    ...(ownersAsked > 0 ? [`${plural(ownersAsked, 'owner')} about whom contacts were asked`] : []),
    ...(ownersReleasing > 0 ? [`${plural(ownersReleasing, 'owner')} whose letters were on their way`] : []),
    ...(lettersWaiting > 0 ? [plural(lettersWaiting, 'letter')] : []),
  ];
  return waiting.length > 0 ? waiting.join(', ') : 'no release that had got as far as contacts or recipients';
}

/** What the operator is to do now. */
export function nextStep({ hindrance }: Pick<Restored, 'hindrance'>): string {
  if (hindrance?.why === 'not_told') {
    return 'Owners with an open release and contacts who had a part in one are told first. Start the service, look at it, and ask again after some minutes.';
  }
  if (hindrance?.why === 'too_soon') {
    return `Owners have been told, and have ${timeLeft(hindrance.leftMs)} more of running time to answer. Then, and when you have looked, run ${letGo}.`;
  }
  return `When you have looked, run ${letGo}.`;
}

function timeLeft(ms: number): string {
  const hours = Math.max(1, Math.ceil(ms / hourMs));
  if (hours < hoursOfDay) return plural(hours, 'hour');
  const rest = hours % hoursOfDay;
  const days = plural(Math.floor(hours / hoursOfDay), 'day');
  return rest === 0 ? days : `${days} and ${plural(rest, 'hour')}`;
}

import { createContact } from '#shared/contract/contacts.ts';
import { createMessage } from '#shared/contract/messages.ts';
import { getUserProfile, updateUserProfile } from '#shared/contract/phone.ts';
import { getRelease, updateReleasePreferences } from '#shared/contract/release/release.ts';
import { addressIn } from '#shared/rules/addresses/written-address.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import {
  type Answers,
  type ContactWords,
  emptyAnswers,
  isAsOffered,
  type MessageWords,
  type PartName,
} from './answers.rules.ts';

/**
 * Saves one part in the vault of the signed-in person. Doing it again does no harm: an answer that was lost on its
 * way never leads to a second contact or message.
 *
 * @throws ApiError
 */
export async function savePart(part: PartName, answers: Answers): Promise<void> {
  if (part === 'settings') await saveSettings(answers.settings);
  else if (part === 'contact') await saveContact(answers.contact);
  else await saveMessage(answers.message);
}

async function saveSettings(settings: Answers['settings']): Promise<void> {
  const { phone, hasChosenSettings } = await call(getUserProfile);
  // The account existed before: its owner's earlier choice outweighs settings that were left at their default here.
  if (hasChosenSettings && isAsOffered(settings)) return;
  await call(updateUserProfile, {
    body: {
      phone: settings.phone.trim() || phone,
      releaseMethod: 'inactivity',
      inactivityDays: settings.inactivityDays,
    },
  });
  // Unchanged days are not saved: a new account starts with them, and an existing one may have more.
  if (settings.waitingDays === emptyAnswers.settings.waitingDays) return;
  const { quorum, answerDays, waitingDays } = await call(getRelease);
  const chosen = Number(settings.waitingDays);
  if (chosen !== waitingDays)
    await call(updateReleasePreferences, { body: { quorum, answerDays, waitingDays: chosen } });
}

async function saveContact({ name, email, relationship, phone }: ContactWords): Promise<void> {
  try {
    await call(createContact, { body: { name, email, relationship, phone } });
  } catch (error) {
    if (!isNamedAlready(error)) throw error;
  }
}

/** A conflict is a person with this address, unless it counts how many there are. */
function isNamedAlready(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.limit === undefined;
}

async function saveMessage({ title, content, recipientEmail }: MessageWords): Promise<void> {
  // As the service will have stored them.
  const wanted = { title: title.trim(), content: content.trim(), recipientEmail: addressIn(recipientEmail) };
  if (await isWritten(wanted)) return;
  await call(createMessage, {
    body: { ...wanted, category: 'family', status: 'ready', visibleToTrustedContact: true },
  });
}

/** True if one of the newest messages is ready, has these words and is for this person: an earlier try has written it. */
async function isWritten({ title, content, recipientEmail }: MessageWords): Promise<boolean> {
  const { groups } = await call(light.listEnvelopes, { query: { sort: 'newest' } });
  const alike = groups
    .flatMap(({ envelopes }) => envelopes)
    .filter(
      (envelope) =>
        envelope.title === title && envelope.recipientEmail === recipientEmail && envelope.status === 'ready',
    );
  for (const { id } of alike) {
    const message = await call(light.getMessage, { params: { id } });
    if (message.content === content) return true;
  }
  return false;
}

/** Reason why a save failed, for the person who pressed. */
export type Problem = {
  text: string;
  /** The plan has no room left. */
  needsRoom?: boolean;
  /** The text says by itself that nothing is lost. */
  saysItIsKept?: boolean;
};

export function problemIn(error: unknown): Problem {
  if (!(error instanceof ApiError)) return { text: 'Something went wrong. Try again in a minute.' };
  const text = error.issues?.[0]?.message ?? error.message;
  return { text, needsRoom: error.upgradeRequired, saysItIsKept: error.status === 0 || error.isUnclear };
}

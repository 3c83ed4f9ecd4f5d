import { login, register, type User } from '#shared/contract/accounts.ts';
import { addressIn } from '#shared/rules/addresses/written-address.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import type { FieldErrors } from './answer-faults.ts';
import { type Answers, partsToSave, withoutPart } from './answers.rules.ts';
import { alone, handOver, keepHandedOver } from './answers-store.ts';
import { type Problem, problemIn, savePart } from './save-part.ts';

export type Opening =
  | { state: 'open'; user: User; answers: Answers }
  /** The address has an account already, with another password or a second factor. The service never says so; only signing in shows it. */
  | { state: 'taken' }
  | { state: 'refused'; problem: Problem; errors: FieldErrors };

/** Opens the account, signs in to it, and saves the answers in it. */
export async function openAccount(answers: Answers, password: string): Promise<Opening> {
  const { firstName, lastName } = answers.account;
  const email = addressIn(answers.account.email);
  return alone(async () => {
    try {
      await call(register, { body: { username: email, email, password, firstName, lastName } });
    } catch (error) {
      return refused(error);
    }
    try {
      const signedIn = await call(login, { body: { email, password } });
      // Only an existing account can have a second factor.
      if (!signedIn.ok) return { state: 'taken' };
      const { user } = signedIn;
      return { state: 'open', user, answers: await saveAll(user.id, await handOver(user.id, answers)) };
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return { state: 'taken' };
      return refused(error);
    }
  });
}

/**
 * Goes on with what could not be saved.
 *
 * @throws ApiError where the service wants a fresh sign-in first.
 */
export function finishSaving(userId: string, answers: Answers): Promise<Answers> {
  return alone(() => saveAll(userId, answers));
}

/** Saves part after part, and keeps after each how far it has come. Ends at the first that can't be saved. */
async function saveAll(userId: string, answers: Answers): Promise<Answers> {
  let now: Answers = { ...answers, step: 'account', problem: null };
  for (const part of partsToSave(answers)) {
    try {
      await savePart(part, now);
    } catch (error) {
      if (error instanceof ApiError && error.type === 'REAUTHENTICATION_REQUIRED') throw error;
      now = { ...now, problem: problemIn(error).text };
      break;
    }
    now = withoutPart(now, part);
    await keepHandedOver(userId, now);
  }
  if (now.problem === null) now = { ...now, step: 'done' };
  await keepHandedOver(userId, now);
  return now;
}

function refused(error: unknown): Opening {
  const issues = error instanceof ApiError ? (error.issues ?? []) : [];
  const errors = Object.fromEntries(issues.map(({ path, message }) => [path, message]));
  return { state: 'refused', problem: problemIn(error), errors };
}

import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { RouteBodyInput, RouteResult } from '#shared/contract/route.ts';
import type { addPasskey, askLoginPasskey, loginWithPasskey } from '#shared/contract/second-factors.ts';
import { ApiError } from '#web/lib/api/api.ts';

type Question = RouteResult<typeof askLoginPasskey>;
type Answer = RouteBodyInput<typeof loginWithPasskey>;

/** True if this browser knows passkeys at all. */
export function knowsPasskeys(): boolean {
  return typeof globalThis.PublicKeyCredential === 'function';
}

/** True if it can offer them where the address is typed. */
export async function offersPasskeysInFields(): Promise<boolean> {
  return knowsPasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false);
}

/** Lets the person choose a passkey, and gives what it answers. `inField` waits quietly where the address is typed. */
export async function answerWithPasskey({ options, ticket }: Question, inField = false): Promise<Answer> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const response = await startAuthentication({ optionsJSON, useBrowserAutofill: inField });
  return { ticket, response };
}

/** Lets the person make a passkey. */
export async function makePasskey({
  options,
  ticket,
}: Question): Promise<Omit<RouteBodyInput<typeof addPasskey>, 'name'>> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  return { ticket, response: await startRegistration({ optionsJSON }) };
}

/**
 * Message for a passkey that was not used or made. Browsers deliberately do not distinguish a cancelled request from
 * a missing key, so both get one message. Null if none is needed.
 */
export function passkeyFailure(error: unknown): string | null {
  if (error instanceof ApiError) return error.message;
  const name = error instanceof Error ? error.name : '';
  if (name === 'AbortError') return null;
  if (name === 'InvalidStateError') return 'This device has a passkey for your account already.';
  if (name === 'NotAllowedError') return 'No passkey was used. Try again, or choose another way.';
  return 'This browser could not use a passkey here. Choose another way.';
}

import type { TexterSettings } from './texter.ts';

/** The fields of a text that came in, as they were posted. */
export type PostedFields = Readonly<Record<string, string | string[] | undefined>>;

/** Check that an incoming text comes from the SMS provider. */
export type TextReplies = {
  /** True if our provider posted these fields to this address, whole: `https://vault.example/api/webhooks/twilio`. */
  isSigned(posted: { signature: string; url: string; fields: PostedFields }): boolean;
  /** Body of the answer that makes the provider send this text back; null for none. XML. */
  answer(text: string | null): string;
};

/** `null` where no texts are sent, so that none can come back. Twilio's library is loaded only when it is needed. */
export async function openTextReplies({ twilio }: TexterSettings): Promise<TextReplies | null> {
  if (twilio === undefined) return null;

  const { createTwilioReplies } = await import('./twilio-replies.ts');
  return createTwilioReplies(twilio);
}

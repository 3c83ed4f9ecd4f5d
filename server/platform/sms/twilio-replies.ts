import twilio from 'twilio';
import type { TextReplies } from './text-replies.ts';

/** Twilio signs each call with the account's token, over the webhook address and all fields. */
export function createTwilioReplies({ authToken }: { authToken: string }): TextReplies {
  return {
    isSigned: ({ signature, url, fields }) => twilio.validateRequest(authToken, signature, url, { ...fields }),
    answer(text) {
      const response = new twilio.twiml.MessagingResponse();
      if (text !== null) response.message(text);
      return response.toString();
    },
  };
}

import twilio from 'twilio';
import { testBaseUrl } from './installation/test-settings.ts';

/** With what the provider of texts signs. */
export const twilioToken = 'a-token-that-only-twilio-knows';

/** Fields as the provider of texts posts them, with its signature over them and the address. */
export function signedText(path: string, fields: Record<string, string>) {
  const signature = twilio.getExpectedTwilioSignature(twilioToken, `${testBaseUrl}${path}`, fields);
  return {
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
    body: new URLSearchParams(fields).toString(),
  };
}

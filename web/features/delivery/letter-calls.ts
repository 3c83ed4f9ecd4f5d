import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { addressOf, call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';

/** Where the file is that was enclosed with a letter. */
export function enclosedHref(token: string): string {
  return addressOf(light.downloadDeliveredAttachment, { params: { token } });
}

/** @throws ApiError */
export function readLetter(token: string, signal: AbortSignal): Promise<DeliveredMessage> {
  return call(light.getDeliveredMessage, { params: { token }, signal });
}

/** Gives the service's own words. @throws ApiError */
export async function askForNewLink(token: string): Promise<string> {
  const { message } = await call(light.renewDelivery, { params: { token } });
  return message;
}

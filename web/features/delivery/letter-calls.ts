import type {
  DeliveredMessage,
  downloadDeliveredAttachment,
  getDeliveredMessage,
  recordOpening,
  renewDelivery,
} from '#shared/contract/delivery.ts';
import type { Route } from '#shared/contract/route.ts';
import { call, pathOf } from '#web/lib/api.ts';

/**
 * The calls of the letter's page. Their addresses stand here as well as in the contract, so that a letter is not
 * kept waiting for the schemas of everything; the types let them be no other.
 */
type Address<R extends Route> = Pick<R, 'method' | 'path'>;

const read: Address<typeof getDeliveredMessage> = { method: 'GET', path: '/api/message-delivery/:token' };
const opened: Address<typeof recordOpening> = { method: 'POST', path: '/api/message-delivery/:token/opened' };
const renew: Address<typeof renewDelivery> = { method: 'POST', path: '/api/message-delivery/:token/renew' };

const enclosed: Address<typeof downloadDeliveredAttachment> = {
  method: 'GET',
  path: '/api/message-delivery/:token/attachment',
};

/** Where the file is that was enclosed with a letter. */
export function enclosedHref(token: string): string {
  return pathOf(enclosed.path, { token });
}

/** @throws ApiError */
export function readLetter(token: string, signal: AbortSignal): Promise<DeliveredMessage> {
  return call(read as typeof getDeliveredMessage, { params: { token }, signal });
}

/** @throws ApiError */
export async function tellOpened(token: string): Promise<void> {
  await call(opened as typeof recordOpening, { params: { token } });
}

/** Gives the service's own words. @throws ApiError */
export async function askForNewLink(token: string): Promise<string> {
  const { message } = await call(renew as typeof renewDelivery, { params: { token } });
  return message;
}

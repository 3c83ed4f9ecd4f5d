import * as accounts from '#shared/contract/accounts.ts';
import * as contacts from '#shared/contract/contacts.ts';
import * as dashboard from '#shared/contract/dashboard.ts';
import * as delivery from '#shared/contract/delivery.ts';
import * as documents from '#shared/contract/documents.ts';
import * as emergency from '#shared/contract/emergency.ts';
import * as guidance from '#shared/contract/guidance.ts';
import * as identity from '#shared/contract/identity.ts';
import * as messages from '#shared/contract/messages.ts';
import * as release from '#shared/contract/release.ts';
import type { Route } from '#shared/contract/route.ts';
import * as trustee from '#shared/contract/trustee.ts';

const files = [
  accounts,
  contacts,
  dashboard,
  delivery,
  documents,
  emergency,
  guidance,
  identity,
  messages,
  release,
  trustee,
];

/** Every route of the contract, by its name in the source. */
export const contractRoutes: readonly { name: string; route: Route }[] = files.flatMap((file) =>
  Object.entries(file).flatMap(([name, value]) => (isRoute(value) ? [{ name, route: value }] : [])),
);

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value;
}

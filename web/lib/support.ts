import { supportEmail as builtSupportEmail } from '#shared/product.ts';

const sent = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="support-email"]')?.content;

/** Where a person who needs help writes to: the operator service, as the page was sent. */
export let supportEmail = sent || builtSupportEmail;

/** While the server draws a page there is none that could say so. It is the same for all that one process draws. */
export function setSupportEmail(address: string): void {
  supportEmail = address;
}

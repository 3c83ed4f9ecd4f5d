import { supportEmail as builtSupportEmail } from '#shared/product.ts';

const sent = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="support-email"]')?.content;

/** Address for people who need help: the operator's, as sent with the page. */
export let supportEmail = sent || builtSupportEmail;

/** While the server draws a page there is none that could say so. It is the same for all that one process draws. */
export function setSupportEmail(address: string): void {
  supportEmail = address;
}

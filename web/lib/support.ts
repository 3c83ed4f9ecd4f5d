import { supportEmail as builtSupportEmail } from '#shared/product.ts';

const sent = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="support-email"]')?.content;

/** Where a person who needs help writes to: whoever runs this service, as the page was sent. */
export const supportEmail = sent || builtSupportEmail;

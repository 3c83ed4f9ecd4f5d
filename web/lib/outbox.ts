const sent = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="outbox"]')?.content;

/** Where mail is read on the machine of somebody who tries this out; null if it goes to people. */
export const outboxPath: string | null = sent || null;

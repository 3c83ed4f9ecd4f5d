const sent = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="outbox"]')?.content;

/** Outbox page on a machine without real mail; null if mail goes to people. */
export const outboxPath: string | null = sent || null;

/** A mail as the notifications take it. */
export type Mail = { subject: string; html: string; text: string };

/** Whom we write to. The first name may be missing where an identity provider did not give one. */
export type Addressee = { firstName: string | null; emailVerified: boolean };

/** A mail as the notifications take it. */
export type Mail = { subject: string; html: string; text: string };

/** Recipient of a mail. The first name may be missing if an identity provider did not send one. */
export type Addressee = { firstName: string | null; emailVerified: boolean };

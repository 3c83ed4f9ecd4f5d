/** Issuer of a stand-in for Google that is never contacted. */
export const googleIssuer = 'https://identity.example';

/** Of a provider that stands for Google where nobody is asked. */
export const googleIssuer = 'https://identity.example';

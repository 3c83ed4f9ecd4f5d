/** What an account says of its role: a label. What the designated administrator may do follows from the address. */
export const roleNames = ['user', 'admin'] as const;
export type RoleName = (typeof roleNames)[number];

/** Role label of an account. The rights of the designated administrator follow from the address. */
export const roleNames = ['user', 'admin'] as const;
export type RoleName = (typeof roleNames)[number];

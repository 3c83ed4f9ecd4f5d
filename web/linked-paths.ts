/**
 * Pages that a link in a mail leads to, and the demonstration of one. They open alike for everybody and stand outside of
 * the application: somebody who reads a letter does not wait for what only an account needs.
 */
export const linkedPaths = [
  '/message/:token?',
  '/trusted-contact-accept/:token',
  '/trusted-contact-confirmed',
  '/trusted-contact-admin/:token?',
  '/trusted-contact-demo',
  '/new-address/:token',
  '/check-in/:token',
  '/rehearsal/check-in',
  '/rehearsal/portal',
  '/rehearsal/letter',
  '/checkout/:token',
  '/news/:token',
  '/not-me/:token',
] as const;

export type LinkedPath = (typeof linkedPaths)[number];

/**
 * Linked pages and one demonstration, with their modules from the web's root. They open for everyone, outside of the
 * application, so that a reader of a letter does not load the parts for accounts.
 */
export const linkedSources = {
  '/message/:token?': 'pages/links/letter.tsx',
  '/message/:token/new-link': 'pages/links/letter.tsx',
  '/message/:token/say': 'pages/links/letter.tsx',
  '/trusted-contact-accept/:token': 'pages/links/accept-invitation.tsx',
  '/trusted-contact-confirmed': 'pages/links/contact-confirmed.tsx',
  '/trusted-contact-admin/:token?': 'pages/links/portal.tsx',
  '/trusted-contact-admin/:token/first-weeks': 'pages/links/portal-first-weeks.tsx',
  '/trusted-contact-demo': 'pages/links/portal-demo.tsx',
  '/new-address/:token': 'pages/links/new-address.tsx',
  '/check-in/:token': 'pages/links/check-in.tsx',
  '/remove-contact/:token': 'pages/links/remove-contact.tsx',
  '/rehearsal/check-in': 'pages/links/rehearsal-link.tsx',
  '/rehearsal/portal': 'pages/links/rehearsal-link.tsx',
  '/rehearsal/letter': 'pages/links/rehearsal-link.tsx',
  '/checkout/:token': 'pages/links/sandbox-checkout.tsx',
  '/news/:token': 'pages/links/news.tsx',
  '/not-me/:token': 'pages/links/not-me.tsx',
  '/link-sign-in/:token': 'pages/links/link-sign-in.tsx',
  '/unlink-sign-in/:token': 'pages/links/unlink-sign-in.tsx',
} as const;

export type LinkedPath = keyof typeof linkedSources;

export const linkedPaths = Object.keys(linkedSources) as LinkedPath[];

/** True if a name, as it stands in the markup, is that of a page behind a link. */
export function isLinkedPath(name: string | undefined): name is LinkedPath {
  return name !== undefined && Object.hasOwn(linkedSources, name);
}

/**
 * Pages of the application with a form that works without scripts, with their modules. The server draws them as plain
 * forms. With scripts, the application replaces them.
 */
export const entrySources = {
  '/login': 'pages/sign-in/login.tsx',
  '/register': 'pages/sign-in/register.tsx',
  '/reset-password/:token': 'pages/sign-in/reset-password.tsx',
  '/verify-email': 'pages/sign-in/verify-expired.tsx',
  '/confirm-mailbox/:token': 'pages/sign-in/confirm-mailbox.tsx',
  '/emergency-activation': 'pages/public/emergency-activation.tsx',
  '/complaint': 'pages/public/complaint.tsx',
} as const;

export type EntryPath = keyof typeof entrySources;

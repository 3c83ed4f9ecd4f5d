import type { ComponentType } from 'react';
import { PublicFrame } from '#web/components/layout/public-header.tsx';

/**
 * Pages that the web's build draws, so that visitors can read them without scripts. Keyed by file name, with their
 * loader and frame. Their addresses: `ready-page-heads.ts`.
 */
export const readyPages = {
  landing: async () => (await import('./pages/public/landing.tsx')).LandingPage,
  /** At an address without a page. */
  unknown: async () => (await import('./pages/public/landing.tsx')).UnknownAddressPage,
  'user-guide': async () => framed((await import('./pages/public/user-guide.tsx')).UserGuidePage),
  faq: async () => framed((await import('./pages/public/faq.tsx')).FaqPage),
  integrations: async () => framed((await import('./pages/public/integrations.tsx')).IntegrationsPage),
  security: async () => framed((await import('./pages/public/security.tsx')).SecurityPage),
  'first-week': async () => framed((await import('./pages/public/first-week.tsx')).FirstWeekPage),
  privacy: async () => framed((await import('./pages/public/privacy-policy.tsx')).PrivacyPolicyPage),
} satisfies Record<string, () => Promise<ComponentType>>;

export type ReadyPageName = keyof typeof readyPages;

/** True if a name, as it stands in the markup, is that of a page that is ready to read. */
export function isReadyPageName(name: string | undefined): name is ReadyPageName {
  return name !== undefined && Object.hasOwn(readyPages, name);
}

function framed(Page: ComponentType): ComponentType {
  return () => <PublicFrame Page={Page} />;
}

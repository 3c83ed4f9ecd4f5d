import type { ReleaseOverview } from '#shared/contract/release.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';

type Problem = ReleaseOverview['problems'][number];

/** Where each problem is put right; the others need no page. */
const remedies: Partial<Record<Problem['type'], { href: string; label: string }>> = {
  no_ready_message: { href: '/messages', label: 'Write a message' },
  no_confirmed_contact: { href: '/contacts', label: 'Go to your contacts' },
  nothing_could_ever_be_released: { href: '/contacts', label: 'Go to your contacts' },
  contact_bounced: { href: '/contacts', label: 'Check their addresses' },
  letter_bounced: { href: '/messages', label: 'Check the addresses' },
};

/** What stands in the way of a release: red where nothing could ever be released, amber for all else. */
export function Problems({ problems }: { problems: readonly Problem[] }) {
  // The address that is not verified has a banner of its own, with its own button.
  return problems
    .filter(({ type }) => type !== 'email_not_verified')
    .map(({ type, message }) => {
      const remedy = remedies[type];
      return (
        <Banner
          key={type}
          tone={type === 'nothing_could_ever_be_released' ? 'bad' : 'warn'}
          action={
            remedy ? (
              <ButtonLink variant="text" size="small" href={remedy.href}>
                {remedy.label}
              </ButtonLink>
            ) : undefined
          }
        >
          {message}
        </Banner>
      );
    });
}

import type { ReactNode } from 'react';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { counted } from '#web/lib/format.ts';

type Problem = ReleaseOverview['problems'][number];

/** Page that solves each problem; some need none. */
const remedies: Partial<Record<Problem['type'], { href: string; label: string }>> = {
  nothing_could_ever_be_released: { href: '/contacts', label: 'Go to your contacts' },
  nobody_to_ask: { href: '/contacts', label: 'Go to your contacts' },
  contacts_out_of_reach: { href: '/contacts', label: 'Check their addresses' },
  contact_bounced: { href: '/contacts', label: 'Check their addresses' },
  letter_bounced: { href: '/messages', label: 'Check the addresses' },
};

type ProblemsProps = {
  /** The gravest first. */
  problems: readonly Problem[];
  /** Banners that stand above whatever is said here, false where there is none. */
  above: readonly (ReactNode | false)[];
};

/**
 * One place for what needs attention. Shows `above`, or else the gravest problem, and everything red. The rest is
 * collapsed, so that a new owner does not meet a wall of warnings.
 */
export function Problems({ problems, above }: ProblemsProps) {
  const told = problems.filter(({ type }) => !saidAlready.has(type));
  const banners = above.filter(Boolean);
  const isOpen = (problem: Problem, index: number) => isGrave(problem) || (banners.length === 0 && index === 0);
  const open = told.filter(isOpen);
  const folded = told.filter((problem, index) => !isOpen(problem, index));
  if (banners.length + open.length === 0) return null;
  return (
    <div className="attention">
      {banners}
      {open.map((problem) => (
        <Banner key={problem.type} tone={isGrave(problem) ? 'bad' : 'warn'} action={<Remedy {...problem} />}>
          {problem.message}
        </Banner>
      ))}
      {folded.length > 0 ? (
        <details className="opens attention-more">
          <summary>{counted(folded.length, 'more thing')} to see to</summary>
          <ul>
            {folded.map((problem) => (
              <li key={problem.type}>
                <p>{problem.message}</p>
                <Remedy {...problem} />
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </div>
  );
}

/**
 * Unfinished steps are no warnings: the sentence over the timeline and the first steps mention them. An unverified
 * address has its own banner and button.
 */
export const saidAlready: ReadonlySet<Problem['type']> = new Set([
  'email_not_verified',
  'no_ready_message',
  'documents_alone',
  'no_confirmed_contact',
]);

/** Red where nothing could ever be released, or our mail did not reach its owner; amber for all else. */
const grave: readonly Problem['type'][] = [
  'nothing_could_ever_be_released',
  'contacts_out_of_reach',
  'nobody_to_ask',
  'address_bounced',
  'own_mail_refused',
];

function isGrave({ type }: Problem): boolean {
  return grave.includes(type);
}

function Remedy({ type }: Problem) {
  const remedy = remedies[type];
  if (!remedy) return null;
  return (
    <ButtonLink variant="text" size="small" href={remedy.href}>
      {remedy.label}
    </ButtonLink>
  );
}

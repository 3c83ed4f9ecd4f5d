import { privacyPolicyUpdated, privacyPolicyVersion } from '#shared/rules/retention.ts';
import { ReadingPage, ReadingPart } from '#web/components/layout/reading-page.tsx';
import { Prose } from '#web/components/ui/prose.tsx';
import { policySections } from '#web/content/privacy-policy.ts';

/** Collected data, retention periods, and people's rights. */
export function PrivacyPolicyPage() {
  return (
    <ReadingPage
      title="Privacy Policy & Security"
      intro={`Policy version ${privacyPolicyVersion}, last updated ${privacyPolicyUpdated}.`}
    >
      <nav className="contents noprint" aria-label="Contents">
        <ul>
          {policySections.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      {policySections.map(({ id, title, blocks }) => (
        <ReadingPart key={id} id={id} title={title}>
          <Prose blocks={blocks} />
        </ReadingPart>
      ))}
    </ReadingPage>
  );
}

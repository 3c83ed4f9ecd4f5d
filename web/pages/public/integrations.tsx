import { ReadingPage, ReadingPart } from '#web/components/layout/reading-page.tsx';
import { Badge, type BadgeTone } from '#web/components/ui/badge.tsx';
import { type PartnerStatus, partnerGroups, partnerStatuses, statusMeanings } from '#web/content/integrations.ts';

const tones: Record<PartnerStatus, BadgeTone> = { Live: 'ready', 'Coming Soon': 'warn', Planned: 'draft' };

/** Integrations of the product, with their status. */
export function IntegrationsPage() {
  return (
    <ReadingPage
      title="Integrations"
      intro="What Everkept works with. Each is optional: without any of them, it runs on one machine alone."
    >
      <dl className="statuses">
        {partnerStatuses.map((status) => (
          <div key={status}>
            <dt>
              <Badge tone={tones[status]}>{status}</Badge>
            </dt>
            <dd>{statusMeanings[status]}</dd>
          </div>
        ))}
      </dl>
      {partnerGroups.map(({ id, title, partners }) => (
        <ReadingPart key={id} id={id} title={title}>
          <ul className="partners">
            {partners.map(({ name, status, text }) => (
              <li key={name}>
                <h3>{name}</h3>
                <Badge tone={tones[status]}>{status}</Badge>
                <p>{text}</p>
              </li>
            ))}
          </ul>
        </ReadingPart>
      ))}
    </ReadingPage>
  );
}

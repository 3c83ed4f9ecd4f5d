import { Badge } from '#web/components/ui/badge.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { premiumTemplates } from '#web/content/premium-templates.ts';
import { type Template, templates } from '#web/content/templates.ts';
import { TemplateForm } from './template-form.tsx';
import { TemplatePreview } from './template-preview.tsx';
import { UpgradeNote } from './upgrade-note.tsx';
import type { FeatureAccess } from './use-access.ts';

type TemplatesPanelProps = {
  access: FeatureAccess;
  /** Access to the premium ones. */
  premiumAccess: FeatureAccess;
  /** The one that is named in the address. */
  asked: string;
};

/** The templates, or the one that is filled in. */
export function TemplatesPanel({ access, premiumAccess, asked }: TemplatesPanelProps) {
  if (access === 'unknown' || premiumAccess === 'unknown') return <SkeletonRows rows={3} label="Loading templates" />;
  const usable = [...(access === 'granted' ? templates : []), ...(premiumAccess === 'granted' ? premiumTemplates : [])];
  const filled = usable.find(({ id }) => id === asked);
  if (filled) return <TemplateForm key={filled.id} template={filled} />;
  return (
    <>
      <p className="panel-lead">Starting points, not finished papers. None of them is legal advice.</p>
      <UpgradeNote access={access} words="Filling in templates starts with the Essential plan." />
      <h3 className="h-card">Templates</h3>
      <TemplateCards templates={templates} hasAccess={access === 'granted'} startsWith="Essential" />
      <h3 className="h-card">Premium templates</h3>
      {access === 'granted' ? (
        <UpgradeNote access={premiumAccess} words="These come with the Premium and Lifetime plans." />
      ) : null}
      <TemplateCards templates={premiumTemplates} hasAccess={premiumAccess === 'granted'} startsWith="Premium" />
    </>
  );
}

type TemplateCardsProps = { templates: readonly Template[]; hasAccess: boolean; startsWith: string };

function TemplateCards({ templates: shown, ...access }: TemplateCardsProps) {
  return (
    <div className="templates">
      {shown.map((template) => (
        <TemplateCard key={template.id} template={template} {...access} />
      ))}
    </div>
  );
}

/** Said once, above all of them, and on the page where one is filled in. */
function withoutDisclaimer(note: string): string {
  return note.replace(/^This is not [a-z ]+ advice\. /, '');
}

type TemplateCardProps = { template: Template; hasAccess: boolean; startsWith: string };

function TemplateCard({ template, hasAccess, startsWith }: TemplateCardProps) {
  const { id, title, description, note, content } = template;
  return (
    <Card as="section" className={hasAccess ? 'template' : 'template is-dim'} aria-labelledby={`${id}-card`}>
      <h4 id={`${id}-card`}>{title}</h4>
      <p>{description}</p>
      <p className="hint">{withoutDisclaimer(note)}</p>
      <TemplatePreview text={content} label={`Beginning of ${title}`} />
      {hasAccess ? (
        <ButtonLink variant="secondary" size="small" href={`#${id}`} aria-label={`Fill Online: ${title}`}>
          Fill Online
        </ButtonLink>
      ) : (
        <Badge tone="warn">Starts with {startsWith}</Badge>
      )}
    </Card>
  );
}

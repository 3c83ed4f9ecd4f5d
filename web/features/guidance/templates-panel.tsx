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
  /** Access to the templates that are not premium. */
  access: FeatureAccess;
  /** Access to the premium templates. */
  premiumAccess: FeatureAccess;
  /** Fragment of the address. The id of a template opens its form. */
  hash: string;
};

/** Cards of all templates, or the form of the template that the address names. */
export function TemplatesPanel({ access, premiumAccess, hash }: TemplatesPanelProps) {
  if (access === 'unknown' || premiumAccess === 'unknown') return <SkeletonRows rows={3} label="Loading templates" />;
  const usable = [...(access === 'granted' ? templates : []), ...(premiumAccess === 'granted' ? premiumTemplates : [])];
  const opened = usable.find(({ id }) => id === hash);
  if (opened) return <TemplateForm key={opened.id} template={opened} />;
  return (
    <>
      <p className="panel-lead">Starting points, not finished papers. None of them is legal advice.</p>
      <UpgradeNote access={access} words="Filling in templates starts with the Essential plan." />
      <h3 className="h-card">Templates</h3>
      <TemplateCards templates={templates} hasAccess={access === 'granted'} cheapestPlan="Essential" />
      <h3 className="h-card">Premium templates</h3>
      {access === 'granted' ? (
        <UpgradeNote access={premiumAccess} words="These come with the Premium and Lifetime plans." />
      ) : null}
      <TemplateCards templates={premiumTemplates} hasAccess={premiumAccess === 'granted'} cheapestPlan="Premium" />
    </>
  );
}

type TemplateCardsProps = { templates: readonly Template[]; hasAccess: boolean; cheapestPlan: string };

function TemplateCards({ templates: shown, hasAccess, cheapestPlan }: TemplateCardsProps) {
  return (
    <div className="templates">
      {shown.map((template) => (
        <TemplateCard key={template.id} template={template} hasAccess={hasAccess} cheapestPlan={cheapestPlan} />
      ))}
    </div>
  );
}

/** Removes the disclaimer from a note. The panel states it once for all cards. */
function withoutDisclaimer(note: string): string {
  return note.replace(/^This is not [a-z ]+ advice\. /, '');
}

type TemplateCardProps = { template: Template; hasAccess: boolean; cheapestPlan: string };

function TemplateCard({ template, hasAccess, cheapestPlan }: TemplateCardProps) {
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
        <Badge tone="warn">Starts with {cheapestPlan}</Badge>
      )}
    </Card>
  );
}
